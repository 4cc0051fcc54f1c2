import { type Decimal, decimal } from '../domain/decimal.ts'
import { UpstreamError } from '../lib/upstream-error.ts'

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

/** Longer numbers are not prices and are not worth the arithmetic. */
const MAX_NUMBER_CHARS = 100
/** No unit of anything is worth a trillion dollars, nor so little that 30 digits do not show it. */
const MAX_USD = decimal('1000000000000')
const MIN_USD = decimal('1e-30')

/**
 * Parses JSON and keeps every number as `{ numberText }`: the text as sent, not rounded to a float. Throws
 * `UpstreamError` if the text is not JSON.
 */
export function parseExactJson(text: string): unknown {
  const keepText: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? { numberText: source } : value
  try {
    return JSON.parse(text, keepText as (key: string, value: unknown) => unknown)
  } catch {
    throw new UpstreamError('invalid', 'the answer is not JSON')
  }
}

/** The value at `path` inside objects, or `undefined`. Follows own properties only. */
export function at(value: unknown, ...path: string[]): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<string, unknown>)[key]
  }
  return found
}

/** A price in USD, exactly as sent; `undefined` for anything that cannot be one: text, zero, negative, absurd. */
export function usdFrom(value: unknown): Decimal | undefined {
  const usd = decimalFrom(value)
  return usd?.gte(MIN_USD) && usd.lte(MAX_USD) ? usd : undefined
}

function decimalFrom(value: unknown): Decimal | undefined {
  const text = at(value, 'numberText')
  if (typeof text !== 'string' || text.length > MAX_NUMBER_CHARS) return undefined
  // JSON allows exponents beyond what the decimal library holds.
  try {
    return decimal(text)
  } catch {
    return undefined
  }
}

/** A number that is not an amount of money: a time, a count, a confidence. */
export function numberFrom(value: unknown): number | undefined {
  const text = at(value, 'numberText')
  const number = typeof text === 'string' ? Number(text) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}
