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
      .describe('`unpriced`: a token that counts has no price now. `not-found`: there is no such validator yet.'),
  })
  .meta({ id: 'WatchGap' })
export type WatchGap = z.infer<typeof watchGap>

const watch = z
  .object({
    id: z.string().describe('The id of the watch.'),
    type: z.enum(WATCH_TYPES).describe('What is watched.'),
    address: z.string().nullable().describe('The wallet; null where none is watched.'),
    chain: z.string().nullable().describe('The chain of a balance; null for others.'),
    contract: z.string().nullable().describe('The token of a balance; null for others.'),
    validator: z.string().nullable().describe('The validator as it was named; null for others.'),
    direction: z.enum(directions).nullable().describe('Which side of the threshold is told; null without one.'),
    threshold: decimalString.nullable().describe('USD, token units or credits; null without one.'),
    state: z
      .enum(['waiting', 'clear', 'past'])
      .describe(
        '`waiting`: not known yet. `past`: the value is past the threshold, the validator is slashed. The next event comes when `clear` becomes `past`.',
      ),
    value: decimalOrUnknown.describe(
      'What was there when it was last known; `N/A` until then, and without a threshold.',
    ),
    checkedAt: moment.nullable().describe('When it was last looked at; null until then.'),
    incomplete: z.array(watchGap).describe('Why the last look could not tell; state and value are of one before then.'),
    createdAt: moment.describe('When it was made.'),
  })
  .meta({ id: 'Watch' })
export type Watch = z.infer<typeof watch>

const shared = { cost: 0, bucket: 'default', requires: 'key', errors: 'coded', tag: 'Webhooks' } as const

export const newWatch = (addresses: Addresses) => {
  const wallet = addresses.one(addresses.wallets).describe('The wallet.')
  const limits = {
    direction: watchDirection.describe('Told when the value passes the threshold in this direction.'),
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
          type: z.literal('balance').describe('What a wallet holds of a token directly.'),
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
          threshold: creditsText.describe('Told when fewer are left, as text.'),
        })
        .meta({ id: 'CreditsWatch' }),
      z
        .strictObject({
          type: z.literal('validator').describe('Missed duties and slashing of a validator (add-on `beacon`).'),
          validator: validatorText.describe('Its index, or its public key.'),
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
      description: 'What the account wants to be told of, oldest first, with what is known of it.',
      status: 200,
      response: z.object({ data: z.array(watch) }),
    },
    createWatch: {
      ...shared,
      method: 'POST',
      path: '/v1/watches',
      summary: 'Create a watch',
      description:
        'Names what is told by webhooks and `GET /v1/events`: a threshold of net worth, of a balance or of credits, a validator, or the airdrops of a wallet. Wallets are read for it every 15 minutes, which costs nothing. Wallets need the entitlement `portfolio`, validators the add-on `beacon`. At most 50 are kept.',
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
      description: 'Ends a watch: nothing more is told of it.',
      status: 204,
      failures: [404],
      params: z.object({ watchId: z.string().describe('The id of the watch.') }),
      response: z.void(),
    },
  })
