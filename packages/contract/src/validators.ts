import { z } from 'zod'
import { integerString } from './decimal-string.ts'
import { completeness, defineEndpoints } from './endpoint.ts'
import { integerQuery } from './query.ts'

const PUBKEY = /^0x[0-9a-fA-F]{96}$/

export const validatorByIndex = z.object({
  index: integerQuery({ min: 0, max: Number.MAX_SAFE_INTEGER }).describe('The index of the validator.'),
})

/** Parsed to lower case. */
export const validatorByPubkey = z.object({
  pubkey: z
    .string()
    .regex(PUBKEY, 'must be 0x and 96 hexadecimal digits')
    .transform((pubkey) => pubkey.toLowerCase())
    .meta({ wire: { type: 'string', pattern: PUBKEY.source } })
    .describe('The BLS public key of the validator, 0x and 96 hexadecimal digits, in any case.'),
})

/** As in the Beacon API, with its two states of waiting as one. */
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

/** Null until reached, even if scheduled. */
const reached = z.int().nullable()

/** Amounts in wei, hex in lower case. */
export const validatorDetails = z
  .object({
    validator: z
      .object({ index: z.int(), pubkey: z.string(), slashed: z.boolean(), status: validatorStatus })
      .meta({ id: 'Validator' }),
    lifecycle: z
      .object({
        activationEpoch: reached,
        activationTimestamp: reached,
        exitEpoch: reached,
        withdrawableEpoch: reached,
      })
      .meta({ id: 'ValidatorLifecycle' }),
    balance: z.object({ actual: integerString, effective: integerString }).meta({ id: 'ValidatorBalance' }),
    withdrawalCredentials: z
      .object({
        prefix: z.int(),
        credential: z.string(),
        /** Only with prefix 1. */
        address: z.string().optional(),
      })
      .meta({ id: 'WithdrawalCredentials' }),
  })
  .meta({ id: 'ValidatorDetails' })
export type ValidatorDetails = z.input<typeof validatorDetails>

const details = {
  method: 'GET',
  tag: 'Validators',
  status: 200,
  cost: 1,
  bucket: 'portfolio',
  requires: 'beacon-and-portfolio',
  errors: 'plain',
  failures: [404, 501, 502],
  response: validatorDetails,
} as const

const ROWS_MAX = 10

const rowQuery = {
  offset: integerQuery({ min: 0, max: Number.MAX_SAFE_INTEGER }).default(0).describe('Rows to skip.'),
  limit: integerQuery({ min: 1, max: ROWS_MAX }).default(ROWS_MAX).describe('Rows per answer.'),
}

const rowsOf = <T extends z.ZodType>(row: T) =>
  z.object({ data: z.array(row), offset: z.int(), limit: z.int(), totalRows: z.int(), pages: z.int() })

/** `x-data-complete`: `true` if all that was requested is indexed. */
const listed = {
  method: 'GET',
  tag: 'Validators',
  status: 200,
  cost: 0,
  bucket: 'beacon',
  requires: 'beacon',
  errors: 'plain',
  failures: [404, 501, 502],
  varyingHeaders: completeness,
} as const

/** One year. */
export const LONGEST_REWARD_RANGE = { timestamp: 31_536_000, epoch: 82_125 } as const
const UNITS = { timestamp: 'seconds', epoch: 'epochs' } as const

const rewardQuery = z
  .object({
    rangeType: z
      .enum(['timestamp', 'epoch'], 'must be timestamp or epoch')
      .describe('Unit of the range: Unix seconds or epochs.'),
    rangeFrom: integerQuery({ min: 0, max: Number.MAX_SAFE_INTEGER }).describe('Start of the range, inclusive.'),
    rangeTo: integerQuery({ min: 0, max: Number.MAX_SAFE_INTEGER }).describe(
      'End of the range, inclusive; at most 31,536,000 seconds or 82,125 epochs later.',
    ),
    granularity: z
      .enum(['epoch', 'day', 'week', 'month'], 'must be epoch, day, week or month')
      .describe('Length of a bucket: an epoch, a day, an ISO week or a calendar month, in UTC.'),
    ...rowQuery,
  })
  .superRefine(({ rangeType, rangeFrom, rangeTo }, context) => {
    const longest = LONGEST_REWARD_RANGE[rangeType]
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (rangeFrom > rangeTo) refuse('rangeFrom', 'must be at most rangeTo')
    if (rangeTo - rangeFrom > longest) {
      refuse('rangeTo', `must be at most ${longest} ${UNITS[rangeType]} after rangeFrom`)
    }
  })

const signedString = z.string().regex(/^(0|-?[1-9]\d*)$/)

/**
 * Amounts in wei; `consensusReward` may be negative. Timestamps in Unix seconds, the last one included; days in UTC.
 */
export const validatorRewardSummary = z
  .object({
    epochStart: z.int(),
    epochEnd: z.int(),
    timestampStart: z.int(),
    timestampEnd: z.int(),
    dateStart: z.iso.date(),
    dateEnd: z.iso.date(),
    consensusReward: signedString,
    consensusPotentialReward: integerString,
    consensusEfficiency: z.number().min(0).max(1).nullable(),
    /** Paid to the fee recipients of proposed blocks: by a builder if there was one, else as priority fees. */
    executionReward: integerString,
    endEffectiveBalance: integerString,
    attestationsIncluded: z.int(),
    attestationsMissed: z.int(),
    syncParticipations: z.int(),
    syncMissed: z.int(),
    proposedBlocks: z.int(),
    missedBlocks: z.int(),
    mevBlocks: z.int(),
  })
  .meta({ id: 'ValidatorRewards' })
export type ValidatorRewardSummary = z.infer<typeof validatorRewardSummary>

const rewardList = {
  ...listed,
  query: rewardQuery,
  response: rowsOf(validatorRewardSummary),
} as const

/** `amount` in wei; `timestamp` in Unix seconds. */
export const validatorWithdrawal = z
  .object({
    slot: z.int(),
    epoch: z.int(),
    timestamp: z.int(),
    amount: integerString,
    address: z.string(),
    index: z.int(),
  })
  .meta({ id: 'ValidatorWithdrawal' })
export type ValidatorWithdrawal = z.infer<typeof validatorWithdrawal>

/** `slot` of the block that carries it; `depositIndex` from the deposit contract. Units as in withdrawals. */
export const validatorDeposit = z
  .object({
    slot: z.int(),
    epoch: z.int(),
    timestamp: z.int(),
    amount: integerString,
    depositIndex: z.int(),
    withdrawalCredentials: z.string(),
    withdrawalAddress: z.string().nullable(),
  })
  .meta({ id: 'ValidatorDeposit' })
export type ValidatorDeposit = z.infer<typeof validatorDeposit>

const withdrawalList = { ...listed, query: z.object(rowQuery), response: rowsOf(validatorWithdrawal) } as const
const depositList = { ...listed, query: z.object(rowQuery), response: rowsOf(validatorDeposit) } as const

export const validatorEndpoints = defineEndpoints({
  getValidatorDetailsByIndex: {
    ...details,
    path: '/v1/beacon/validators/details/index/:index',
    summary: 'Get a validator by index',
    description: 'Returns the current state of a validator of the beacon chain.',
    params: validatorByIndex,
  },
  getValidatorDetailsByPubkey: {
    ...details,
    path: '/v1/beacon/validators/details/pubkey/:pubkey',
    summary: 'Get a validator by key',
    description: 'Returns the current state of a validator of the beacon chain.',
    params: validatorByPubkey,
  },
  listValidatorRewardsByIndex: {
    ...rewardList,
    path: '/v1/beacon/validators/rewards/index/:index',
    summary: 'List rewards by index',
    description:
      'Returns the rewards of a validator by epoch, day, week or month, newest first. The first request for a validator starts its indexing. `X-Data-Complete: false`: part of the range is not indexed yet.',
    params: validatorByIndex,
  },
  listValidatorRewardsByPubkey: {
    ...rewardList,
    path: '/v1/beacon/validators/rewards/pubkey/:pubkey',
    summary: 'List rewards by key',
    description:
      'Returns the rewards of a validator by epoch, day, week or month, newest first. The first request for a validator starts its indexing. `X-Data-Complete: false`: part of the range is not indexed yet.',
    params: validatorByPubkey,
  },
  listValidatorWithdrawalsByIndex: {
    ...withdrawalList,
    path: '/v1/beacon/validators/withdrawals/index/:index',
    summary: 'List withdrawals by index',
    description:
      'Returns the withdrawals of a validator, newest first. `X-Data-Complete: false`: blocks are still being searched.',
    params: validatorByIndex,
  },
  listValidatorWithdrawalsByPubkey: {
    ...withdrawalList,
    path: '/v1/beacon/validators/withdrawals/pubkey/:pubkey',
    summary: 'List withdrawals by key',
    description:
      'Returns the withdrawals of a validator, newest first. `X-Data-Complete: false`: blocks are still being searched.',
    params: validatorByPubkey,
  },
  listValidatorDepositsByIndex: {
    ...depositList,
    path: '/v1/beacon/validators/deposits/index/:index',
    summary: 'List deposits by index',
    description:
      'Returns the deposits of a validator, newest first. `X-Data-Complete: false`: blocks are still being searched.',
    params: validatorByIndex,
  },
  listValidatorDepositsByPubkey: {
    ...depositList,
    path: '/v1/beacon/validators/deposits/pubkey/:pubkey',
    summary: 'List deposits by key',
    description:
      'Returns the deposits of a validator, newest first. `X-Data-Complete: false`: blocks are still being searched.',
    params: validatorByPubkey,
  },
})
