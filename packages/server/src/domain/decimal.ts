import Big from 'big.js'

/** Exact, except quotients. */
export type Decimal = Big

/** Digits after the point; 18 are shown. */
const QUOTIENT_DIGITS = 60
const PRICE_DIGITS = 18

const Exact = Big()
Exact.DP = QUOTIENT_DIGITS
Exact.RM = Big.roundHalfEven

export const ZERO: Decimal = new Exact('0')
export const ONE: Decimal = new Exact('1')

/** Throws on other text: a float never becomes money. */
export function decimal(value: string | bigint): Decimal {
  return new Exact(value.toString())
}

export function decimalOrNull(value: string | null): Decimal | null {
  return value === null ? null : decimal(value)
}

export function fromRaw(amountRaw: bigint, decimals: number): Decimal {
  const digits = amountRaw.toString()
  return new Exact(decimals === 0 ? digits : `${digits}e-${decimals}`)
}

/** Rounds down. */
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

/** As big.js, several times faster. Requires values of at least zero. */
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

/** Negative for trailing zeros of an integer. */
const placesOf = (value: Decimal) => value.c.length - 1 - value.e

export function roundPrice(value: Decimal): Decimal {
  return value.round(PRICE_DIGITS, Big.roundHalfEven)
}

/** Writes no exponent, trailing zeros or `-0`. */
export function formatDecimal(value: Decimal): string {
  return value.eq(0) ? '0' : value.toFixed()
}
