import { i18n } from '@lingui/core'

/**
 * Figures as users read them. Amounts stay the API's decimal strings: `Intl.NumberFormat` takes text and rounds it exactly.
 * What is not known (`N/A`) stays that.
 */

const UNKNOWN = 'N/A'

export const isKnown = (value: string): boolean => value !== UNKNOWN

const formats = {
  /** Two places; less than a cent shows its first two digits. */
  money: {
    style: 'currency',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    minimumSignificantDigits: 1,
    maximumSignificantDigits: 2,
    roundingPriority: 'morePrecision',
  },
  /** Of a unit: at least four digits that count. */
  price: {
    style: 'currency',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    minimumSignificantDigits: 1,
    maximumSignificantDigits: 4,
    roundingPriority: 'morePrecision',
  },
  /** Of a token: four places, or four digits that count where that says more. */
  amount: { maximumFractionDigits: 4, maximumSignificantDigits: 4, roundingPriority: 'morePrecision' },
  percent: { style: 'percent', maximumFractionDigits: 1 },
} as const satisfies Record<string, Intl.NumberFormatOptions>

type FigureKind = keyof typeof formats

const made = new Map<string, Intl.NumberFormat>()

function formatter(kind: FigureKind, currency: string): Intl.NumberFormat {
  const locale = i18n.locale || 'en'
  const key = `${locale} ${kind} ${currency}`
  const known = made.get(key)
  if (known) return known
  const format: Intl.NumberFormatOptions = formats[kind]
  const created = new Intl.NumberFormat(locale, format.style === 'currency' ? { ...format, currency } : format)
  made.set(key, created)
  return created
}

const write = (kind: FigureKind, value: string, currency = 'USD'): string =>
  isKnown(value) ? formatter(kind, currency).format(value as Intl.StringNumericLiteral) : UNKNOWN

/** A value in a currency of three letters; USD unless said. */
export const formatMoney = (value: string, currency?: string): string => write('money', value, currency)
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
