import { i18n } from '@lingui/core'

/**
 * Formats figures for users. Amounts stay the API's decimal strings: `Intl.NumberFormat` takes text and rounds it
 * exactly. Unknown values (`N/A`) stay unknown.
 */

const UNKNOWN = 'N/A'

export const isKnown = (value: string): boolean => value !== UNKNOWN

/** Significant digits. */
const PRICE_DIGITS = 4
const CENT_PLACES = 2
/** Limit of `Intl.NumberFormat`. */
const MOST_PLACES = 100

type FigureKind = 'money' | 'price' | 'amount' | 'percent'

const made = new Map<string, Intl.NumberFormat>()

function formatter(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const locale = i18n.locale || 'en'
  const key = `${locale} ${JSON.stringify(options)}`
  const known = made.get(key)
  if (known) return known
  const created = new Intl.NumberFormat(locale, options)
  made.set(key, created)
  return created
}

function optionsOf(kind: FigureKind, value: string, currency: string): Intl.NumberFormatOptions {
  if (kind === 'percent') return { style: 'percent', maximumFractionDigits: 1 }
  // Four places, or four significant digits if that says more.
  if (kind === 'amount') {
    return { maximumFractionDigits: 4, maximumSignificantDigits: 4, roundingPriority: 'morePrecision' }
  }
  const maximumFractionDigits = kind === 'price' ? placesOf(value, PRICE_DIGITS) : CENT_PLACES
  return { style: 'currency', currency, minimumFractionDigits: CENT_PLACES, maximumFractionDigits }
}

/** Returns two, or as many places as show the first `digits` significant digits. */
function placesOf(value: string, digits: number): number {
  const [whole = '', fraction = ''] = value.replace('-', '').split('.')
  const places = whole === '0' ? fraction.search(/[1-9]/) + digits : digits - whole.length
  return Math.min(Math.max(places, CENT_PLACES), MOST_PLACES)
}

const write = (kind: FigureKind, value: string, currency = 'USD'): string =>
  isKnown(value) ? formatter(optionsOf(kind, value, currency)).format(value as Intl.StringNumericLiteral) : UNKNOWN

/** Rounds to zero cents without being zero. */
const BELOW_A_CENT = /^-?0\.00[0-4]/

/**
 * Formats in cents. `currency` has three letters and defaults to USD. Values that round to zero become `<$0.01` or
 * `>-$0.01`, as in the CLI.
 */
export function formatMoney(value: string, currency?: string): string {
  if (signOf(value) === 0 || !BELOW_A_CENT.test(value)) return write('money', value, currency)
  return value.startsWith('-') ? `>${write('money', '-0.01', currency)}` : `<${write('money', '0.01', currency)}`
}
/** Price of one unit. */
export const formatPrice = (value: string, currency?: string): string => write('price', value, currency)
/** Without the token's symbol. */
export const formatAmount = (value: string): string => write('amount', value)
/** `0.5` is a half. */
export const formatPercent = (ratio: string): string => write('percent', ratio)
export const formatCount = (count: number): string => new Intl.NumberFormat(i18n.locale || 'en').format(count)

/** Reads the sign from the text; 0 if unknown. */
export function signOf(value: string): -1 | 0 | 1 {
  if (!(isKnown(value) && /[1-9]/.test(value))) return 0
  return value.startsWith('-') ? -1 : 1
}
