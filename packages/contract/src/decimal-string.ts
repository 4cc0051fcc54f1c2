import { z } from 'zod'

/** No exponent, no trailing zeros, no `-0`. */
export const decimalString = z
  .string()
  .regex(/^(?!-0$)-?(0|[1-9]\d*)(\.\d*[1-9])?$/)
  .meta({ id: 'Decimal', description: 'A decimal without exponent or trailing zeros.' })

/** `N/A`: unknown. */
export const decimalOrUnknown = z.union([decimalString, z.literal('N/A')])

/** An unsigned integer that may exceed 2^53: base units, block numbers, Unix times. */
export const integerString = z.string().regex(/^(0|[1-9]\d*)$/)
