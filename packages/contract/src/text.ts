import { z } from 'zod'

/**
 * Text from a client. Lengths count Unicode code points; NUL and lone surrogates are refused, since PostgreSQL cannot
 * store the one and would silently change the other. `trim` takes white space off before the length is checked.
 */
export function text({ min = 0, max, trim = false }: { min?: number; max: number; trim?: boolean }) {
  const string = z.string({ error: 'must be text' })
  return (trim ? string.trim() : string)
    .refine((value) => !value.includes('\u0000') && value.isWellFormed(), 'must be well-formed text without NUL')
    .refine(
      (value) => isLengthWithin(value, min, max),
      `must have ${min > 0 ? `${min} to` : 'at most'} ${max} characters`,
    )
    .meta({ wire: { type: 'string', minLength: min, maxLength: max } })
}

function isLengthWithin(value: string, min: number, max: number): boolean {
  // A code point is at most two units: a text that is far too long is refused without counting it.
  if (value.length > max * 2) return false
  const length = [...value].length
  return length >= min && length <= max
}
