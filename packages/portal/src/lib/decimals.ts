/**
 * Exact arithmetic on the API's decimal strings, for sums that no answer has. An unknown operand makes the result
 * unknown. No floating point: digits are counted as integers of the smallest place.
 */

const UNKNOWN = 'N/A'
const decimal = /^-?\d+(\.\d+)?$/
const RATIO_PLACES = 6

const placesOf = (value: string): number => value.split('.')[1]?.length ?? 0

/** Converts to units of the `places`-th place; the decimal has no more places. */
export function toScaled(value: string, places: number): bigint {
  const [whole = '0', fraction = ''] = value.split('.')
  return BigInt(whole + fraction.padEnd(places, '0'))
}

/** Drops trailing zeros. */
function fromScaled(scaled: bigint, places: number): string {
  const sign = scaled < 0n ? '-' : ''
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '')
  return `${sign}${whole}${fraction && `.${fraction}`}`
}

/** Exact; `0` for an empty list. A single value keeps its spelling. */
export function sumDecimals(values: readonly string[]): string {
  const [first, ...others] = values
  if (first !== undefined && others.length === 0) return first
  if (!values.every((value) => decimal.test(value))) return UNKNOWN
  const places = Math.max(0, ...values.map(placesOf))
  return fromScaled(
    values.reduce((sum, value) => sum + toScaled(value, places), 0n),
    places,
  )
}

export const negated = (value: string): string => differenceOf('0', value)

/** `a` minus `b`, exact. */
export function differenceOf(a: string, b: string): string {
  if (!(decimal.test(a) && decimal.test(b))) return UNKNOWN
  const places = Math.max(placesOf(a), placesOf(b))
  return fromScaled(toScaled(a, places) - toScaled(b, places), places)
}

/** Truncates to six places; unknown if `whole` is zero. */
export function ratioOf(part: string, whole: string): string {
  if (!(decimal.test(part) && decimal.test(whole))) return UNKNOWN
  const places = Math.max(placesOf(part), placesOf(whole))
  const divisor = toScaled(whole, places)
  if (divisor === 0n) return UNKNOWN
  return fromScaled(toScaled(part, places + RATIO_PLACES) / divisor, RATIO_PLACES)
}

/** Converts a token amount to base units; unknown if it has more places than `decimals`. */
export function toBaseUnits(amount: string, decimals: string): string {
  if (!(decimal.test(amount) && /^\d{1,3}$/.test(decimals))) return UNKNOWN
  const units = fromScaled(toScaled(amount, placesOf(amount)) * 10n ** BigInt(decimals), placesOf(amount))
  return units.includes('.') ? UNKNOWN : units
}
