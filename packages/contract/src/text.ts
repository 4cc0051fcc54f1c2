import { z } from 'zod'

/**
 * Lengths count Unicode code points. NUL and lone surrogates are refused: PostgreSQL cannot store the former and would
 * silently change the latter. `trim` precedes the length check.
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
  // A code point has at most two units: refuses text that is far too long without counting it.
  if (value.length > max * 2) return false
  const length = [...value].length
  return length >= min && length <= max
}
