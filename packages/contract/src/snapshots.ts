import { z } from 'zod'
import type { Addresses } from './address.ts'
import { eachOnce } from './address-book.ts'
import { dayQuery, instantQuery } from './date.ts'
import { decimalString } from './decimal-string.ts'
import { completeness, defineEndpoints } from './endpoint.ts'
import { displayNames, portfolio } from './portfolio.ts'
import { includeExplorerUrls, includeFlatAssets, includeImages, integerQuery } from './query.ts'
import { text } from './text.ts'

/** Credits per address for a year of daily snapshots. */
export const SNAPSHOT_YEAR_CREDITS = 1_200
const ADDRESSES_MAX = 100
/** The same as for current portfolios. */
const HISTORICAL_MAX = 10
const DESCRIPTION_MAX = 255

const moment = z.iso.datetime({ precision: 3 })

export const snapshotSubscription = z
  .object({
    address: z.string(),
    description: z.string().nullable(),
    subscribedAt: moment,
    expiresAt: moment,
    /** 0 if its subscription ran already. */
    credits: z.int(),
  })
  .meta({ id: 'SnapshotSubscription' })
export type SnapshotSubscription = z.infer<typeof snapshotSubscription>

const subscribed = (addresses: Addresses) =>
  z
    .array(
      z.object({
        address: addresses.one(addresses.wallets),
        description: text({ max: DESCRIPTION_MAX }).nullable().optional(),
      }),
      { error: 'must be a list of addresses' },
    )
    .min(1, 'must have at least one address')
    .max(ADDRESSES_MAX, `must have at most ${ADDRESSES_MAX} addresses`)
    .superRefine(eachOnce(({ address }) => address))

export const tokenOverviewItem = z
  .object({
    image: z.string(),
    symbol: z.string(),
    name: z.string(),
    ...displayNames,
    price: decimalString,
    balance: decimalString,
    value: decimalString,
    percentage: decimalString,
    protocolsDetailed: z.array(
      z
        .object({ key: z.string(), name: z.string(), value: decimalString, balance: decimalString, image: z.string() })
        .meta({ id: 'TokenAtProtocol' }),
    ),
  })
  .meta({ id: 'TokenOverviewItem' })
export type TokenOverviewItem = z.infer<typeof tokenOverviewItem>

const onDay = ({ list, wallets, describe }: Addresses, max: number) =>
  z.object({
    addresses: list({ ...wallets, max }).describe(describe(wallets, max)),
    date: dayQuery.describe('The day, `YYYY-MM-DD`, in UTC.'),
  })

const BOTH_OR_NEITHER = 'must be given as chain and block, or as date'

const atBlock = ({ list, wallets, describe }: Addresses, max: number) =>
  z
    .object({
      addresses: list({ ...wallets, max }).describe(describe(wallets, max)),
      chain: z.string().optional().describe('The key of the only chain to read, with `block`.'),
      block: integerQuery({ min: 0, max: Number.MAX_SAFE_INTEGER }).optional().describe('Block number, with `chain`.'),
      date: instantQuery
        .optional()
        .describe(
          'A time with a zone, such as `2026-03-01T12:00:00Z`, in place of `chain` and `block`: the last block of each chain at or before it.',
        ),
      includeImages,
      includeExplorerUrls,
      includeFlatAssets,
    })
    .refine(
      ({ chain, block, date }) =>
        (chain === undefined) === (block === undefined) && (chain === undefined) !== (date === undefined),
      { path: ['block'], message: BOTH_OR_NEITHER },
    )

const snapshots = { tag: 'Snapshots', status: 200, errors: 'titled' } as const

export const snapshotEndpoints = (addresses: Addresses) =>
  defineEndpoints({
    subscribeSnapshot: {
      ...snapshots,
      method: 'POST',
      path: '/v1/subscribe-snapshot',
      summary: 'Subscribe to snapshots',
      description:
        'Subscribes all addresses, or none, to daily snapshots for a year, for 1,200 credits each. An address with an active subscription costs nothing. The first snapshot, for the day of the subscription, is taken immediately; the others are taken at 00:00 UTC.',
      cost: ({ body }: { body: { addresses: readonly unknown[] } }) => body.addresses.length * SNAPSHOT_YEAR_CREDITS,
      bucket: 'default',
      requires: 'portfolio',
      body: z.object({ addresses: subscribed(addresses) }),
      response: z.object({ message: z.string(), subscriptions: z.array(snapshotSubscription) }),
    },
    getHistorical: {
      ...snapshots,
      method: 'GET',
      path: '/v1/historical',
      summary: 'Get past portfolios',
      description:
        'Returns the holdings of wallets at 00:00 UTC of a day, at the prices of that time. On the day of the subscription, they are from the time of the subscription (`lastUpdated`). 404 names a wallet without a snapshot of the day.',
      cost: 1,
      bucket: 'portfolio',
      requires: 'portfolio',
      failures: [404],
      query: onDay(addresses, HISTORICAL_MAX),
      varyingHeaders: completeness,
      response: z.array(portfolio),
    },
    getPortfolioAtBlock: {
      method: 'GET',
      path: '/v1/portfolio/at-block',
      tag: 'Portfolio',
      status: 200,
      errors: 'titled',
      summary: 'Get portfolios at a block',
      description:
        'Returns the holdings of any wallets at a past block, at the prices of that block, in request order, for 1 credit per address. `asOf` has the block of each chain and its time. With `date`, a chain that began later holds nothing. 422: no node has the state of the block; if other chains have it, they answer, and `incomplete` has `no-state`. On Solana, only the times of daily snapshots are available. The first call for a wallet may lack unlisted tokens (`searching`): repeat it.',
      cost: ({ query }: { query: { addresses: readonly unknown[] } }) => query.addresses.length,
      bucket: 'portfolio',
      requires: 'portfolio',
      failures: [422, 502],
      query: atBlock(addresses, HISTORICAL_MAX),
      varyingHeaders: completeness,
      response: z.array(portfolio),
    },
    getTokenOverview: {
      ...snapshots,
      method: 'GET',
      path: '/v1/token-overview',
      summary: 'Get a token overview',
      description:
        'Returns the coins of a wallet at 00:00 UTC of a day over all chains and protocols, most valuable first; debts are subtracted. On the day of the subscription, they are from the time of the subscription.',
      cost: 1,
      bucket: 'default',
      requires: 'pro-or-unauthorized',
      failures: [404],
      query: onDay(addresses, 1),
      response: z.array(tokenOverviewItem),
    },
  })
