import { toScaled } from './decimals.ts'

/**
 * The one module that makes numbers from the API's decimal strings: for geometry (lengths, angles, axes) and for order. No
 * figure that a user reads comes from here.
 */

const decimal = /^-?\d+(\.\d+)?$/

/** The number nearest to a decimal, to draw with; null for `N/A` and whatever is no decimal. */
export function toDrawn(value: string): number | null {
  return decimal.test(value) ? Number(value) : null
}

/** Each value's part of the sum of those above zero, 0 to 1; what is unknown or not above zero has none. */
export function toShares(values: readonly string[]): number[] {
  const lengths = values.map((value) => Math.max(toDrawn(value) ?? 0, 0))
  const sum = lengths.reduce((total, length) => total + length, 0)
  return lengths.map((length) => (sum > 0 ? length / sum : 0))
}

/** A decimal made ready to be compared many times. */
export type Ordered = { text: string; drawn: number | null }

export const toOrdered = (text: string): Ordered => ({ text, drawn: toDrawn(text) })

/** Orders decimals exactly, however many digits they have; what is no decimal comes before all of them. */
export function compareOrdered(a: Ordered, b: Ordered): number {
  if (a.drawn === null || b.drawn === null) return (a.drawn === null ? 0 : 1) - (b.drawn === null ? 0 : 1)
  // Rounding keeps order: only decimals that round to the same number need all their digits.
  if (a.drawn !== b.drawn) return a.drawn < b.drawn ? -1 : 1
  const places = Math.max(fractionOf(a.text).length, fractionOf(b.text).length)
  const difference = toScaled(a.text, places) - toScaled(b.text, places)
  if (difference === 0n) return 0
  return difference < 0n ? -1 : 1
}

/** `compareOrdered` of two texts. */
export const compareDecimals = (a: string, b: string): number => compareOrdered(toOrdered(a), toOrdered(b))

/** The exact product of two decimals from zero up, to order by; `N/A` where one of them is none. */
export function toProduct(a: string, b: string): string {
  if (![a, b].every((value) => decimal.test(value) && !value.startsWith('-'))) return 'N/A'
  const places = fractionOf(a).length + fractionOf(b).length
  const digits = String(toScaled(a, fractionOf(a).length) * toScaled(b, fractionOf(b).length)).padStart(places + 1, '0')
  const point = digits.length - places
  return places === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`
}

const fractionOf = (value: string): string => value.split('.')[1] ?? ''
