import { z } from 'zod'
import type { Addresses } from './address.ts'
import { instantQuery } from './date.ts'
import { decimalOrUnknown, decimalString } from './decimal-string.ts'
import { completeness, defineEndpoints } from './endpoint.ts'
import { asOf, incompleteReason } from './portfolio.ts'
import { booleanQuery, choiceQuery } from './query.ts'

const INTERVALS = ['HOUR', 'DAY', 'WEEK', 'MONTH'] as const
const ADDRESSES_MAX = 100
const POINTS_MAX = 1_000
/** Points of all addresses together: a year of days of a hundred. */
const READS_MAX = 40_000
const POINTS_A_CREDIT = 30

const HOUR = 3_600
const DAY = 24 * HOUR
/** `origin` of weeks: Monday, 1970-01-05. */
const STEPS = {
  HOUR: { step: HOUR, origin: 0 },
  DAY: { step: DAY, origin: 0 },
  WEEK: { step: 7 * DAY, origin: 4 * DAY },
}

/** In Unix seconds. */
export type SeriesSpan = { from: number; to: number; interval: (typeof INTERVALS)[number] }

/** Full hours, days, Mondays or first days of months of UTC, ascending. At most one more than an answer has. */
export function seriesTimes({ from, to, interval }: SeriesSpan): number[] {
  const times: number[] = []
  for (let place = 0; times.length <= POINTS_MAX; place += 1) {
    const time = timeAt(from, interval, place)
    if (time > to) break
    times.push(time)
  }
  return times
}

function timeAt(from: number, interval: SeriesSpan['interval'], place: number): number {
  if (interval === 'MONTH') {
    const start = new Date(from * 1_000)
    const monthAt = (months: number) => Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months) / 1_000
    return monthAt(monthAt(0) < from ? place + 1 : place)
  }
  const { step, origin } = STEPS[interval]
  return Math.ceil((from - origin) / step + place) * step + origin
}

const point = z
  .object({
    time: z.iso.datetime().describe('The time of the point (UTC).'),
    networth: decimalOrUnknown,
    chains: z.record(z.string(), decimalString).describe('USD by chain.'),
    protocols: z.record(z.string(), decimalString).describe('USD by protocol; `wallet` is outside of protocols.'),
    asOf,
    computing: z
      .boolean()
      .describe('A job computes the point, or computes it again; without stored figures its `networth` is `N/A`.'),
    incomplete: z.array(
      z
        .object({
          chain: z.string(),
          protocol: z.string().optional(),
          reason: incompleteReason,
          wallets: z.int().describe('The wallets that lack the part.'),
        })
        .meta({ id: 'SeriesIncompleteItem' }),
    ),
  })
  .meta({ id: 'SeriesPoint' })

/** Points ascend. `networth` of a point without stored figures is `N/A`. */
export const portfolioSeries = z
  .object({
    currency: z.literal('USD'),
    interval: z.enum(INTERVALS).describe('The interval of the points.'),
    computing: z.boolean().describe('Points are missing: repeat the call.'),
    points: z.array(point).describe('Points, ascending.'),
  })
  .meta({ id: 'PortfolioSeries' })
export type PortfolioSeries = z.infer<typeof portfolioSeries>

const span = ({ list, wallets, describe }: Addresses) =>
  z
    .object({
      addresses: list({ ...wallets, max: ADDRESSES_MAX }).describe(describe(wallets, ADDRESSES_MAX)),
      from: instantQuery.describe('The first time, with a zone.'),
      to: instantQuery.describe('The last time.'),
      interval: choiceQuery(INTERVALS).default('DAY').describe('Full hours, days, Mondays or months of UTC.'),
      waitForSync: booleanQuery(false).describe('Waits up to 25 seconds for missing points.'),
    })
    .superRefine((query, context) => {
      const points = seriesTimes(query).length
      const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['to'], message })
      if (query.to < query.from) refuse('must not be before from')
      else if (points > POINTS_MAX) refuse(`must give at most ${POINTS_MAX} points`)
      else if (points * query.addresses.length > READS_MAX)
        refuse(`must give at most ${READS_MAX} points of all addresses`)
    })

export const portfolioSeriesEndpoints = (addresses: Addresses) =>
  defineEndpoints({
    getPortfolioSeries: {
      method: 'GET',
      path: '/v1/portfolio/series',
      tag: 'Portfolio',
      status: 200,
      errors: 'titled',
      summary: 'Get the net worth over time',
      description:
        'Returns the net worth of all addresses together at each time, by chain and protocol, at the last block of each chain at or before it. Points that are not stored are computed in the background (`computing`): repeat the call. 1 credit per address and 30 points. `no-state`: no node has the state of the block. On Solana, only days of snapshots.',
      cost: ({ query }: { query: SeriesSpan & { addresses: readonly unknown[] } }) =>
        query.addresses.length * Math.max(1, Math.ceil(seriesTimes(query).length / POINTS_A_CREDIT)),
      bucket: 'portfolio',
      requires: 'portfolio',
      failures: [502],
      query: span(addresses),
      varyingHeaders: completeness,
      response: portfolioSeries,
    },
  })
