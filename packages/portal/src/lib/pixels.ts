import { toScaled } from './decimals.ts'

/**
 * The only module that makes numbers from the API's decimal strings: for geometry (lengths, angles, axes) and order.
 * Users read no figure from here.
 */

const decimal = /^-?\d+(\.\d+)?$/

/** Returns the nearest number, to draw with; null for `N/A` and other non-decimals. */
export function toDrawn(value: string): number | null {
  return decimal.test(value) ? Number(value) : null
}

/** Returns each value's share of the sum of positive values, 0 to 1; 0 if unknown or not above zero. */
export function toShares(values: readonly string[]): number[] {
  const lengths = values.map((value) => Math.max(toDrawn(value) ?? 0, 0))
  const sum = lengths.reduce((total, length) => total + length, 0)
  return lengths.map((length) => (sum > 0 ? length / sum : 0))
}

/** A decimal prepared for repeated comparison. */
export type Ordered = { text: string; drawn: number | null }

export const toOrdered = (text: string): Ordered => ({ text, drawn: toDrawn(text) })

/** Orders decimals exactly, with any number of digits; non-decimals come first. */
export function compareOrdered(a: Ordered, b: Ordered): number {
  if (a.drawn === null || b.drawn === null) return (a.drawn === null ? 0 : 1) - (b.drawn === null ? 0 : 1)
  // Rounding keeps order: only decimals that round to the same number need all their digits.
  if (a.drawn !== b.drawn) return a.drawn < b.drawn ? -1 : 1
  const places = Math.max(fractionOf(a.text).length, fractionOf(b.text).length)
  const difference = toScaled(a.text, places) - toScaled(b.text, places)
  if (difference === 0n) return 0
  return difference < 0n ? -1 : 1
}

export const compareDecimals = (a: string, b: string): number => compareOrdered(toOrdered(a), toOrdered(b))

/** Multiplies two non-negative decimals exactly, for ordering. Returns `N/A` if either is not a decimal. */
export function toProduct(a: string, b: string): string {
  if (![a, b].every((value) => decimal.test(value) && !value.startsWith('-'))) return 'N/A'
  const places = fractionOf(a).length + fractionOf(b).length
  const digits = String(toScaled(a, fractionOf(a).length) * toScaled(b, fractionOf(b).length)).padStart(places + 1, '0')
  const point = digits.length - places
  return places === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`
}

const fractionOf = (value: string): string => value.split('.')[1] ?? ''
