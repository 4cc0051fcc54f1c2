import Big from 'big.js'

/**
 * Exact decimal arithmetic for prices and values. Products and sums are exact; a quotient is kept to `QUOTIENT_DIGITS`
 * and rounded once more, half to even, where it is shown.
 */
export type Decimal = Big

/** Digits after the point that a quotient keeps inside; far beyond the 18 that are shown. */
const QUOTIENT_DIGITS = 60
/** Digits after the point of a price. */
const PRICE_DIGITS = 18

const Exact = Big()
Exact.DP = QUOTIENT_DIGITS
Exact.RM = Big.roundHalfEven

export const ZERO: Decimal = new Exact('0')
export const ONE: Decimal = new Exact('1')

/** From a decimal string or an integer. Throws on anything else: a float never becomes money. */
export function decimal(value: string | bigint): Decimal {
  return new Exact(value.toString())
}

/** As `decimal`; what is not known stays null. */
export function decimalOrNull(value: string | null): Decimal | null {
  return value === null ? null : decimal(value)
}

/** `amountRaw` base units of a token with `decimals` decimals, in token units. */
export function fromRaw(amountRaw: bigint, decimals: number): Decimal {
  const digits = amountRaw.toString()
  return new Exact(decimals === 0 ? digits : `${digits}e-${decimals}`)
}

/** Whole base units of a token with `decimals` decimals; what is less than one is left out. */
export function toRaw(amount: Decimal, decimals: number): bigint {
  return BigInt(roundDown(amount.times(new Exact(`1e${decimals}`)), 0).toFixed(0))
}

export function roundDown(figure: Decimal, digits: number): Decimal {
  return figure.round(digits, Big.roundDown)
}

export function sum(values: Iterable<Decimal>): Decimal {
  let total = ZERO
  for (const value of values) total = total.plus(value)
  return total
}

/**
 * `figure` × `part` ÷ `whole`, kept like every quotient; all of them at least zero. The same as big.js makes of it, but by whole
 * numbers, several times faster: shares of cost are most of what accounting does.
 */
export function proportion(figure: Decimal, part: Decimal, whole: Decimal): Decimal {
  const shift = QUOTIENT_DIGITS - placesOf(figure) - placesOf(part) + placesOf(whole)
  const product = digitsOf(figure) * digitsOf(part) * 10n ** BigInt(Math.max(shift, 0))
  const divisor = digitsOf(whole) * 10n ** BigInt(Math.max(-shift, 0))
  const quotient = product / divisor
  const twice = 2n * (product - quotient * divisor)
  const isUp = twice > divisor || (twice === divisor && quotient % 2n === 1n)
  return new Exact(`${isUp ? quotient + 1n : quotient}e-${QUOTIENT_DIGITS}`)
}

const digitsOf = (value: Decimal) => BigInt(value.c.join(''))

/** Digits after the point; negative where the last digits before it are zeros. */
const placesOf = (value: Decimal) => value.c.length - 1 - value.e

/** Rounds half to even to the 18 decimals of a shown price or quotient. */
export function roundPrice(value: Decimal): Decimal {
  return value.round(PRICE_DIGITS, Big.roundHalfEven)
}

/** No exponent, no trailing zeros, no `-0`. */
export function formatDecimal(value: Decimal): string {
  return value.eq(0) ? '0' : value.toFixed()
}
