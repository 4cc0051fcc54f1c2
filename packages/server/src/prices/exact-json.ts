import { type Decimal, decimal } from '../domain/decimal.ts'
import { UpstreamError } from '../lib/upstream-error.ts'

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

const MAX_NUMBER_CHARS = 100
/** Plausible prices per unit. */
const MAX_USD = decimal('1000000000000')
const MIN_USD = decimal('1e-30')

/** Keeps numbers as `{ numberText }`, unrounded. Throws `UpstreamError`. */
export function parseExactJson(text: string): unknown {
  const keepText: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? { numberText: source } : value
  try {
    return JSON.parse(text, keepText as (key: string, value: unknown) => unknown)
  } catch {
    throw new UpstreamError('invalid', 'the answer is not JSON')
  }
}

export function at(value: unknown, ...path: string[]): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<string, unknown>)[key]
  }
  return found
}

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

export function numberFrom(value: unknown): number | undefined {
  const text = at(value, 'numberText')
  const number = typeof text === 'string' ? Number(text) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}
