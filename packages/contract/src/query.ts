import { z } from 'zod'

const BOOLEAN = /^(true|false)$/i

export function booleanQuery(defaultValue: boolean) {
  return z
    .custom<boolean | 'true' | 'false'>(
      (value) => typeof value === 'boolean' || (typeof value === 'string' && BOOLEAN.test(value)),
      'must be true or false',
    )
    .transform((value) => String(value).toLowerCase() === 'true')
    .meta({ wire: { type: 'boolean' } })
    .default(defaultValue)
}

/** Any case in the query. */
export function choiceQuery<const T extends readonly string[]>(words: T) {
  const isOne = (value: unknown) => typeof value === 'string' && words.includes(value.toUpperCase())
  return z
    .custom<string>(isOne, `must be one of ${words.join(', ')}`)
    .transform((value) => value.toUpperCase() as T[number])
    .meta({ wire: { type: 'string', enum: [...words] } })
}

export const includeImages = booleanQuery(false).describe(
  'Adds `imgSmall` and `imgLarge`: URLs of images that the service serves.',
)
export const includeExplorerUrls = booleanQuery(false).describe('Adds URLs of block explorers to assets and chains.')
export const includeFlatAssets = booleanQuery(true).describe(
  '`false` leaves the flat `assets` of each protocol empty; positions have the same assets.',
)
export const waitForSync = booleanQuery(false).describe(
  'If the last read is older than a minute, waits up to 30 seconds for a new one and for the search for unlisted tokens. The search gets at most 10 of them.',
)

const DIGITS = /^(0|[1-9]\d{0,15})$/

/** No leading zeros. A client may give a number. */
export function integerQuery({ min, max }: { min: number; max: number }) {
  const inRange = (value: unknown) => {
    if (typeof value !== 'number' && !(typeof value === 'string' && DIGITS.test(value))) return false
    const number = Number(value)
    return Number.isSafeInteger(number) && number >= min && number <= max
  }
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  return z
    .custom<number | `${number}`>(inRange, `must be a whole number ${range}`)
    .transform(Number)
    .meta({ wire: { type: 'integer', minimum: min, maximum: max } })
}

export function pageQuery({ defaultLimit, maxLimit }: { defaultLimit: number; maxLimit: number }) {
  return {
    page: integerQuery({ min: 1, max: Number.MAX_SAFE_INTEGER }).default(1).describe('Page number, from 1.'),
    limit: integerQuery({ min: 1, max: maxLimit }).default(defaultLimit).describe('Items per page.'),
  }
}

export const pagination = z.object({ page: z.int(), limit: z.int(), hasMore: z.boolean() }).meta({ id: 'Pagination' })
