import { i18n } from '@lingui/core'

/**
 * Figures as users read them. Amounts stay the API's decimal strings: `Intl.NumberFormat` takes text and rounds it exactly.
 * What is not known (`N/A`) stays that.
 */

const UNKNOWN = 'N/A'

export const isKnown = (value: string): boolean => value !== UNKNOWN

/** Significant digits of a price. */
const PRICE_DIGITS = 4
const CENT_PLACES = 2
/** More no formatter takes. */
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
  // Four places, or four digits that count where that says more.
  if (kind === 'amount') {
    return { maximumFractionDigits: 4, maximumSignificantDigits: 4, roundingPriority: 'morePrecision' }
  }
  const maximumFractionDigits = kind === 'price' ? placesOf(value, PRICE_DIGITS) : CENT_PLACES
  return { style: 'currency', currency, minimumFractionDigits: CENT_PLACES, maximumFractionDigits }
}

/** Two, or as many as it takes to show the first `digits` digits that count. */
function placesOf(value: string, digits: number): number {
  const [whole = '', fraction = ''] = value.replace('-', '').split('.')
  const places = whole === '0' ? fraction.search(/[1-9]/) + digits : digits - whole.length
  return Math.min(Math.max(places, CENT_PLACES), MOST_PLACES)
}

const write = (kind: FigureKind, value: string, currency = 'USD'): string =>
  isKnown(value) ? formatter(optionsOf(kind, value, currency)).format(value as Intl.StringNumericLiteral) : UNKNOWN

/** Not zero, and rounded to it in cents. */
const BELOW_A_CENT = /^-?0\.00[0-4]/

/** A value in a currency of three letters; USD unless said. In cents; what rounds to none is `<$0.01` or `>-$0.01`, as in the CLI. */
export function formatMoney(value: string, currency?: string): string {
  if (signOf(value) === 0 || !BELOW_A_CENT.test(value)) return write('money', value, currency)
  return value.startsWith('-') ? `>${write('money', '-0.01', currency)}` : `<${write('money', '0.01', currency)}`
}
/** What a unit costs. */
export const formatPrice = (value: string, currency?: string): string => write('price', value, currency)
/** An amount of a token, without its symbol. */
export const formatAmount = (value: string): string => write('amount', value)
/** A ratio, `0.5` being a half. */
export const formatPercent = (ratio: string): string => write('percent', ratio)
/** A count of things, which is a number and no money. */
export const formatCount = (count: number): string => new Intl.NumberFormat(i18n.locale || 'en').format(count)

/** -1, 0 or 1, read off the text; 0 for what is not known. */
export function signOf(value: string): -1 | 0 | 1 {
  if (!(isKnown(value) && /[1-9]/.test(value))) return 0
  return value.startsWith('-') ? -1 : 1
}
