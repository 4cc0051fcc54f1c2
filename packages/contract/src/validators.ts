import { z } from 'zod'
import { integerQuery } from './query.ts'

const PUBKEY = /^0x[0-9a-fA-F]{96}$/

/** A validator in a path by its index. */
export const validatorByIndex = z.object({ index: integerQuery({ min: 0, max: Number.MAX_SAFE_INTEGER }) })

/** A validator in a path by its BLS public key, in any case; in lower case from here on. */
export const validatorByPubkey = z.object({
  pubkey: z
    .string()
    .regex(PUBKEY, 'must be 0x and 96 hexadecimal digits')
    .transform((pubkey) => pubkey.toLowerCase())
    .meta({ wire: { type: 'string', pattern: PUBKEY.source } }),
})
