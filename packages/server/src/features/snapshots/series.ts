import { setTimeout as wait } from 'node:timers/promises'
import { type PortfolioSeries, type SeriesSpan, seriesTimes } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import type { Db } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { dayOf, isoTime, startOfDay } from '../../domain/day.ts'
import { formatDecimal, sum } from '../../domain/decimal.ts'
import { valueRead } from '../../domain/valuation.ts'
import type { JobDefinition, Jobs } from '../../jobs/queue.ts'
import type { Clock } from '../../lib/clock.ts'
import { compareText } from '../../lib/compare-text.ts'
import { pagesOf } from '../../lib/pages.ts'
import type { Reading } from '../../wallets/create-reading.ts'
import { computePoints, worthOf } from './compute-points.ts'
import { type PastChain, type PastReads, pastOf } from './past-reads.ts'
import { type ChainAt, type GapAt, type ProtocolAt, sumPoints } from './point-store.ts'
import { decodeReads } from './snapshot-store.ts'
import { findDays } from './snapshots.ts'

type Order = SeriesSpan & { addresses: readonly Address[] }

export type SeriesContext = {
  db: Db
  reading: Reading
  past: PastReads
  jobs: Jobs
  clock: Clock
}

const COMPUTE = 'portfolio-series'
const SNAPSHOTS_AT_ONCE = 20
/** Less than the limit of a request. */
const WAIT_MS = 25_000
const LOOK_MS = 500

export const seriesJob = (context: SeriesContext): JobDefinition => ({
  name: COMPUTE,
  async handler(signal: AbortSignal, order: Order) {
    const times = pastTimes(context, order)
    await Promise.all(
      chainsOf(context.reading, order.addresses).map(
        ({ past, wallets }) => past && computePoints(context, signal, { past, wallets, times }),
      ),
    )
  },
  // Each request for a missing point enqueues it again.
  options: { concurrency: 4, retryLimit: 0 },
})

const pastTimes = ({ clock }: SeriesContext, span: SeriesSpan) =>
  seriesTimes(span).filter((time) => time <= clock.now() / 1_000)

type WalletsOn = { chain: Chain; wallets: readonly Address[]; past: PastChain | undefined }

function chainsOf(reading: Reading, addresses: readonly Address[]): WalletsOn[] {
  return reading.enabled.flatMap((chain) => {
    const wallets = addresses.filter((address) => reading.familyOf(address) === chain.family)
    return wallets.length > 0 ? [{ chain, wallets, past: pastOf(reading, chain) }] : []
  })
}

/** Enqueues the computation of missing points: one job of an account at a time. */
export async function getPortfolioSeries(
  context: SeriesContext,
  accountId: string,
  order: Order & { waitForSync: boolean },
) {
  const { addresses, from, to, interval, waitForSync } = order
  for (const address of addresses) context.reading.noteUse(address)
  const series = await viewStored(context, accountId, order)
  if (!series.computing) return series
  await context.jobs.send(COMPUTE, { addresses, from, to, interval }, { singletonKey: accountId })
  if (!waitForSync) return series
  await untilIdle(context, accountId)
  return viewStored(context, accountId, order)
}

async function untilIdle({ jobs }: SeriesContext, accountId: string): Promise<void> {
  for (let left = WAIT_MS; left > 0; left -= LOOK_MS) {
    await wait(LOOK_MS)
    const [idle] = await jobs.findWithoutJob(COMPUTE, [accountId])
    if (idle !== undefined) return
  }
}

async function viewStored(
  context: SeriesContext,
  accountId: string,
  { addresses, ...span }: Order,
): Promise<PortfolioSeries> {
  const { db, reading } = context
  const times = pastTimes(context, span)
  const chains = chainsOf(reading, addresses)
  const [stored, snapshots] = await Promise.all([
    sumPoints(db, { wallets: addresses, chains: chains.map(({ chain }) => chain.key), times }),
    fromSnapshots(
      db,
      accountId,
      chains.filter(({ past }) => !past),
      times,
    ),
  ])
  const partsOf = indexed([stored, snapshots])
  const points = times.map((time) => {
    const parts = partsOf(time)
    const at = new Map(parts.chains.map((one) => [one.chain, one]))
    const lacks = (count: 'stored' | 'known') =>
      chains.some(({ chain, wallets }) => (at.get(chain.key)?.[count] ?? 0) < wallets.length)
    return pointOf(time, parts, { computing: lacks('known'), isStored: !lacks('stored') })
  })
  return { currency: 'USD', interval: span.interval, computing: points.some((point) => point.computing), points }
}

type Parts = { chains: ChainAt[]; protocols: ProtocolAt[]; gaps: GapAt[] }

function indexed(all: readonly Parts[]): (time: number) => Parts {
  const chains = Map.groupBy(
    all.flatMap((parts) => parts.chains),
    timeOf,
  )
  const protocols = Map.groupBy(
    all.flatMap((parts) => parts.protocols),
    timeOf,
  )
  const gaps = Map.groupBy(
    all.flatMap((parts) => parts.gaps),
    timeOf,
  )
  return (time) => ({
    chains: chains.get(time) ?? [],
    protocols: protocols.get(time) ?? [],
    gaps: gaps.get(time) ?? [],
  })
}

const timeOf = ({ time }: { time: number }) => time

function pointOf(
  time: number,
  { chains, protocols, gaps }: Parts,
  { computing, isStored }: { computing: boolean; isStored: boolean },
): PortfolioSeries['points'][number] {
  const isRead = chains.some(({ read }) => read > 0)
  const blocks = chains.flatMap(({ chain, block, blockTime }) => {
    if (block === undefined || blockTime === undefined) return []
    return [[chain, { block: String(block), timestamp: isoTime(blockTime) }] as const]
  })
  return {
    time: isoTime(time),
    networth: isRead && isStored ? formatDecimal(sum(protocols.map(({ value }) => value))) : 'N/A',
    chains: sumsBy(protocols, ({ chain }) => chain),
    protocols: sumsBy(protocols, ({ protocol }) => protocol),
    asOf: Object.fromEntries(blocks),
    computing,
    incomplete: gaps.map(({ time: _, ...gap }) => gap),
  }
}

function sumsBy(values: readonly ProtocolAt[], keyOf: (value: ProtocolAt) => string): Record<string, string> {
  const groups = [...Map.groupBy(values, keyOf)].toSorted(([one], [other]) => compareText(one, other))
  return Object.fromEntries(groups.map(([key, some]) => [key, formatDecimal(sum(some.map(({ value }) => value)))]))
}

/** Chains whose nodes serve only the present have the days of the account's snapshots. */
async function fromSnapshots(
  db: Db,
  accountId: string,
  chains: readonly WalletsOn[],
  times: readonly number[],
): Promise<Parts> {
  const found: Parts = { chains: [], protocols: [], gaps: [] }
  const wallets = [...new Set(chains.flatMap((one) => one.wallets))]
  if (wallets.length === 0) return found
  for (const page of pagesOf(times, SNAPSHOTS_AT_ONCE)) {
    const days = page.filter((time) => startOfDay(dayOf(time)) === time)
    const rows = Map.groupBy(await findDays(db, accountId, wallets, days.map(dayOf)), ({ date }) => startOfDay(date))
    for (const time of page) {
      const reads = (rows.get(time) ?? []).flatMap(({ address, reads }) =>
        reads === null ? [] : decodeReads(address, reads).map(valueRead),
      )
      for (const { chain, wallets } of chains) {
        const at = { time, chain: chain.key }
        const ofChain = reads.filter(({ read }) => read.chain === chain.key)
        const worth = ofChain.flatMap((read) => [...worthOf(read)])
        found.chains.push({ ...at, stored: wallets.length, known: wallets.length, read: ofChain.length })
        found.protocols.push(...worth.map(([protocol, value]) => ({ ...at, protocol, value })))
        const missing = wallets.length - ofChain.length
        if (missing > 0) found.gaps.push({ ...at, reason: 'no-state', wallets: missing })
      }
    }
  }
  return found
}
