import { z } from 'zod'
import { integerString } from './decimal-string.ts'
import { defineEndpoints } from './endpoint.ts'
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

/** Where a validator is in its life: as in the Beacon API, but for the two states of waiting, which are one. */
const validatorStatus = z.enum([
  'pending',
  'active_ongoing',
  'active_exiting',
  'active_slashed',
  'exited_unslashed',
  'exited_slashed',
  'withdrawal_possible',
  'withdrawal_done',
])

/** An epoch or its time, null until it is reached; one that is only scheduled is not. */
const reached = z.int().nullable()

/** A validator as it is now. Amounts in wei, hex in lower case. */
export const validatorDetails = z.object({
  validator: z.object({ index: z.int(), pubkey: z.string(), slashed: z.boolean(), status: validatorStatus }),
  lifecycle: z.object({
    activationEpoch: reached,
    /** Unix seconds. */
    activationTimestamp: reached,
    exitEpoch: reached,
    withdrawableEpoch: reached,
  }),
  balance: z.object({ actual: integerString, effective: integerString }),
  withdrawalCredentials: z.object({
    prefix: z.int(),
    credential: z.string(),
    /** With prefix 1 alone. */
    address: z.string().optional(),
  }),
})
export type ValidatorDetails = z.input<typeof validatorDetails>

/** What both ways to name a validator share. */
const details = {
  method: 'GET',
  tag: 'Validators',
  status: 200,
  cost: 1,
  bucket: 'portfolio',
  requires: 'beacon-and-portfolio',
  errors: 'plain',
  failures: [404, 502],
  response: validatorDetails,
} as const

export const validatorEndpoints = defineEndpoints({
  getValidatorDetailsByIndex: {
    ...details,
    path: '/v1/beacon/validators/details/index/:index',
    summary: 'A validator of the beacon chain as it is now, by its index',
    params: validatorByIndex,
  },
  getValidatorDetailsByPubkey: {
    ...details,
    path: '/v1/beacon/validators/details/pubkey/:pubkey',
    summary: 'A validator of the beacon chain as it is now, by its public key',
    params: validatorByPubkey,
  },
})
