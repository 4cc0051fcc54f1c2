import { z } from 'zod'
import { addressList, shippedAddresses } from '../address.ts'
import { COST_METHODS } from '../cost-methods.ts'
import { dayQuery } from '../date.ts'
import { decimalOrUnknown, decimalString } from '../decimal-string.ts'
import { defineEndpoints } from '../endpoint.ts'
import { choiceQuery, integerQuery } from '../query.ts'
import { own } from './requirement.ts'

const MOST_ADDRESSES = 10
/** Per answer. */
const MOST_LOTS = 250

/** `TOTAL`: undivided. */
const PNL_UNITS = ['TOTAL', 'YEAR', 'QUARTER', 'MONTH'] as const
export type PnlUnit = (typeof PNL_UNITS)[number]

/**
 * `unseen`: no transaction shows how the units came.
 * `unknown-cost`: they, or others of their pool, came without a price.
 * `unknown-proceeds`: nothing priced what was received for them.
 * `sold-with-unknown`: other units of the same sale are of unknown cost.
 * `gap`: the chain's balance differs from what transactions explain.
 * `unpriced`: income without a price, which counts as nothing.
 */
const lotGap = z.enum(['unseen', 'unknown-cost', 'unknown-proceeds', 'sold-with-unknown', 'gap', 'unpriced'])
export type LotGapView = z.infer<typeof lotGap>

/** `realised`: sales with a known gain; `N/A` without any. Fees are expenses, and in no cost or proceeds. */
const sums = z.object({
  method: z.enum(COST_METHODS),
  realised: decimalOrUnknown,
  sales: z.int(),
  unknownSales: z.int(),
  income: decimalString,
  expense: decimalString,
  fees: decimalString,
  unpricedFees: z.int(),
})

/** Days of UTC; `to` is exclusive. */
const span = { from: z.iso.date(), to: z.iso.date() }
/**
 * In no figure: wallets without a history on any chain, chains of the others without one, and blocks that nodes have
 * dropped (`pruned`). `replaced-chain`: figures include blocks that the chain's only endpoint lacks.
 */
const scoped = {
  currency: z.literal('USD'),
  withoutHistory: z.array(z.string()),
  leftOut: z.array(
    z.object({ address: z.string(), chain: z.string(), reason: z.enum(['no-history', 'pruned', 'replaced-chain']) }),
  ),
  /** Null: all is computed. Otherwise a job computes the figures of this day and later ones, and the list is empty. */
  computedTo: z.iso.date().nullable(),
}

const pnlPeriods = z.object({
  ...scoped,
  /** The account's method, used everywhere else. */
  accountMethod: z.enum(COST_METHODS),
  /** Newest first, each by every method; empty if the wallets have no history. */
  periods: z.array(z.object({ ...span, methods: z.array(sums) })),
})
export type PnlPeriodsView = z.infer<typeof pnlPeriods>

const moment = z.object({ at: z.iso.datetime(), chain: z.string(), transaction: z.string().nullable() })
const asset = {
  wallet: z.string(),
  /** Null during a bridge transfer. */
  chain: z.string().nullable(),
  contract: z.string(),
  tokenId: z.string().nullable(),
  /** From its contract; empty if never read. */
  symbol: z.string(),
  quantity: decimalString,
}
const lotPage = { ...scoped, method: z.enum(COST_METHODS), ...span, offset: z.int(), total: z.int() }
/** False: nothing has a day of acquisition. */
const keepsLots = z.boolean()

const soldLots = z.object({
  ...lotPage,
  keepsLots,
  /** Oldest sale first. */
  lots: z.array(
    z.object({
      ...asset,
      acquired: moment.nullable(),
      disposed: moment,
      proceeds: decimalOrUnknown,
      cost: decimalOrUnknown,
      gain: decimalOrUnknown,
      daysHeld: z.int().nullable(),
      missing: z.array(lotGap),
    }),
  ),
})
export type SoldLotsView = z.infer<typeof soldLots>

const openLots = z.object({
  ...lotPage,
  keepsLots,
  /** `cost` of a debt: what was received for it. */
  lots: z.array(
    z.object({
      ...asset,
      place: z.enum(['wallet', 'position', 'debt', 'transit']),
      position: z.string().nullable(),
      acquired: moment.nullable(),
      cost: decimalOrUnknown,
      unitCost: decimalOrUnknown,
      missing: z.array(lotGap),
    }),
  ),
})
export type OpenLotsView = z.infer<typeof openLots>

const earnings = z.object({
  ...lotPage,
  lots: z.array(z.object({ ...asset, earned: moment, worth: decimalOrUnknown, missing: z.array(lotGap) })),
})
export type EarningsView = z.infer<typeof earnings>

const addresses = addressList({ ...shippedAddresses.wallets, max: MOST_ADDRESSES })

const isForward = ({ from, to }: { from?: string | undefined; to: string }) => from === undefined || from < to
const FORWARD = { path: ['to'], message: 'must be after from' }

const lotQuery = z
  .object({
    addresses,
    method: choiceQuery(COST_METHODS),
    from: dayQuery,
    to: dayQuery.describe('The first day after the period (UTC).'),
    offset: integerQuery({ min: 0, max: Number.MAX_SAFE_INTEGER }).default(0),
    limit: integerQuery({ min: 1, max: MOST_LOTS }).default(MOST_LOTS),
  })
  .refine(isForward, FORWARD)

const reading = {
  ...own,
  tag: 'Profit and loss',
  method: 'GET',
  requires: { who: 'viewer', access: 'portfolio' },
} as const

export const pnlEndpoints = defineEndpoints({
  getPnlPeriods: {
    ...reading,
    path: '/portal/api/accounts/:account/pnl/periods',
    summary: 'Compare methods by period',
    description: 'Realised gains, income and expenses of wallets in each period, by every method.',
    query: z
      .object({
        addresses,
        by: choiceQuery(PNL_UNITS).default('YEAR'),
        from: dayQuery.optional().describe('Default: the first day with a transaction.'),
        to: dayQuery.describe('The first day after the period (UTC).'),
      })
      .refine(isForward, FORWARD),
    response: pnlPeriods,
  },
  listSoldLots: {
    ...reading,
    path: '/portal/api/accounts/:account/pnl/sold',
    summary: 'List sold lots',
    description: 'Each sale of a period with the lots it used, their cost, proceeds and gain.',
    query: lotQuery,
    response: soldLots,
  },
  listOpenLots: {
    ...reading,
    path: '/portal/api/accounts/:account/pnl/open',
    summary: 'List held lots',
    description: 'The lots held at the end of a period, with their cost.',
    query: lotQuery,
    response: openLots,
  },
  listEarnings: {
    ...reading,
    path: '/portal/api/accounts/:account/pnl/income',
    summary: 'List income',
    description: 'Rewards, airdrops, interest and surplus of a period, at the prices of that time.',
    query: lotQuery,
    response: earnings,
  },
})
