import { z } from 'zod'

/** A decimal as the wire spells it: no exponent, no trailing zeros, no `-0`. */
export const decimalString = z
  .string()
  .regex(/^(?!-0$)-?(0|[1-9]\d*)(\.\d*[1-9])?$/)
  .meta({ id: 'Decimal', description: 'A decimal without exponent or trailing zeros.' })

/** A decimal, or `N/A` while it is not known. */
export const decimalOrUnknown = z.union([decimalString, z.literal('N/A')])

/** A whole amount in base units, or another unsigned integer that may pass 2^53: block numbers, Unix times as text. */
export const integerString = z.string().regex(/^(0|[1-9]\d*)$/)
