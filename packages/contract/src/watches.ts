import { z } from 'zod'
import type { Addresses } from './address.ts'
import { decimalOrUnknown, decimalString } from './decimal-string.ts'
import { defineEndpoints } from './endpoint.ts'
import { incompleteReason } from './portfolio.ts'
import { text } from './text.ts'

const WATCH_TYPES = ['netWorth', 'balance', 'credits', 'validator', 'airdrops'] as const
export type WatchType = (typeof WATCH_TYPES)[number]

const moment = z.iso.datetime({ precision: 3 })
const directions = ['above', 'below'] as const

const thresholdText = z
  .string({ error: 'must be a text, e.g. "1000.5"' })
  .regex(/^(0|[1-9]\d{0,29})(\.\d{1,18})?$/, 'must be a decimal of at most 30 digits and 18 decimals, e.g. "1000.5"')
/** Credits are whole. */
const creditsText = z
  .string({ error: 'must be a text, e.g. "1000"' })
  .regex(/^[1-9]\d{0,14}$/, 'must be a whole number of credits, e.g. "1000"')
/** Parsed to lower case. */
const validatorText = z
  .string({ error: 'must be a text' })
  .regex(/^(0|[1-9]\d{0,14}|0x[0-9a-fA-F]{96})$/, 'must be an index, or 0x and 96 hexadecimal digits')
  .toLowerCase()
const watchDirection = z.enum(directions, `must be one of ${directions.join(', ')}`)

const watchGap = z
  .object({
    chain: z.string(),
    protocol: z.string().optional(),
    contract: z.string().optional(),
    reason: z
      .enum([...incompleteReason.options, 'unpriced', 'not-found'])
      .describe('`unpriced`: a relevant token has no price now. `not-found`: the validator does not exist yet.'),
  })
  .meta({ id: 'WatchGap' })
export type WatchGap = z.infer<typeof watchGap>

const watch = z
  .object({
    id: z.string().describe('The id of the watch.'),
    type: z.enum(WATCH_TYPES).describe('Type of the watch.'),
    address: z.string().nullable().describe('The wallet; null for other types.'),
    chain: z.string().nullable().describe('The chain of a balance; null for other types.'),
    contract: z.string().nullable().describe('The token of a balance; null for other types.'),
    validator: z.string().nullable().describe('The validator as given in the request; null for other types.'),
    direction: z
      .enum(directions)
      .nullable()
      .describe('The side of the threshold that triggers an event; null without a threshold.'),
    threshold: decimalString.nullable().describe('Threshold in USD, token units or credits; null without a threshold.'),
    state: z
      .enum(['waiting', 'clear', 'past'])
      .describe(
        '`waiting`: unknown yet. `past`: the value has crossed the threshold, or the validator is slashed. The next event comes when `clear` becomes `past`.',
      ),
    value: decimalOrUnknown.describe('Last known value; `N/A` before the first one, and without a threshold.'),
    checkedAt: moment.nullable().describe('Time of the last check; null before the first one.'),
    incomplete: z
      .array(watchGap)
      .describe('Why the last check was inconclusive; state and value are from an earlier check then.'),
    createdAt: moment.describe('Time of creation.'),
  })
  .meta({ id: 'Watch' })
export type Watch = z.infer<typeof watch>

const shared = { cost: 0, bucket: 'default', requires: 'key', errors: 'coded', tag: 'Webhooks' } as const

export const newWatch = (addresses: Addresses) => {
  const wallet = addresses.one(addresses.wallets).describe('The wallet.')
  const limits = {
    direction: watchDirection.describe('An event is sent when the value crosses the threshold in this direction.'),
    threshold: thresholdText,
  }
  return z.discriminatedUnion(
    'type',
    [
      z
        .strictObject({
          type: z.literal('netWorth').describe('Net worth of a wallet in USD.'),
          address: wallet,
          ...limits,
          threshold: thresholdText.describe('USD, as text.'),
        })
        .meta({ id: 'NetWorthWatch' }),
      z
        .strictObject({
          type: z.literal('balance').describe('Direct balance of a token in a wallet.'),
          address: wallet,
          chain: text({ min: 1, max: 100 }).describe('The chain of the token.'),
          contract: text({ min: 1, max: 100 }).describe('The token; all zeros for the native coin of an EVM chain.'),
          ...limits,
          threshold: thresholdText.describe('Token units, as text.'),
        })
        .meta({ id: 'BalanceWatch' }),
      z
        .strictObject({
          type: z.literal('credits').describe('Credits of the account.'),
          threshold: creditsText.describe('An event is sent when fewer credits are left; as text.'),
        })
        .meta({ id: 'CreditsWatch' }),
      z
        .strictObject({
          type: z.literal('validator').describe('Missed duties and slashing of a validator (add-on `beacon`).'),
          validator: validatorText.describe('Index or public key of the validator.'),
        })
        .meta({ id: 'ValidatorWatch' }),
      z
        .strictObject({
          type: z.literal('airdrops').describe('Airdrops that a wallet can claim.'),
          address: addresses.one(addresses.airdrops).describe(addresses.describe(addresses.airdrops, 1)),
        })
        .meta({ id: 'AirdropWatch' }),
    ],
    { error: ({ code }) => (code === 'invalid_union' ? `must be one of ${WATCH_TYPES.join(', ')}` : undefined) },
  )
}
export type NewWatch = z.output<ReturnType<typeof newWatch>>

export const watchEndpoints = (addresses: Addresses) =>
  defineEndpoints({
    listWatches: {
      ...shared,
      method: 'GET',
      path: '/v1/watches',
      summary: 'List watches',
      description: 'Returns the watches of the account with their states, oldest first.',
      status: 200,
      response: z.object({ data: z.array(watch) }),
    },
    createWatch: {
      ...shared,
      method: 'POST',
      path: '/v1/watches',
      summary: 'Create a watch',
      description:
        'Creates a watch, which triggers events for webhooks and `GET /v1/events`: a threshold of net worth, of a balance or of credits, a validator, or the airdrops of a wallet. The service reads watched wallets every 15 minutes at no cost. Wallets require the entitlement `portfolio`, validators the add-on `beacon`. An account can have 50 watches.',
      status: 201,
      failures: [403, 422, 501],
      body: newWatch(addresses),
      response: z.object({ data: watch }),
    },
    removeWatch: {
      ...shared,
      method: 'DELETE',
      path: '/v1/watches/:watchId',
      summary: 'Delete a watch',
      description: 'Deletes a watch. It triggers no more events.',
      status: 204,
      failures: [404],
      params: z.object({ watchId: z.string().describe('The id of the watch.') }),
      response: z.void(),
    },
  })
