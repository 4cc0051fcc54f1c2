import { createTokenIdentity } from '../../catalog/token-identity.ts'
import { byKey } from '../../chains/chain-catalog.ts'
import type { ChainReading } from '../../chains/chain-reading.ts'
import type { Address } from '../../domain/address.ts'
import { startOfDay } from '../../domain/day.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Reading } from '../../wallets/open-reading.ts'
import type { Module, Ports } from '../module.ts'
import { createPresentation } from '../portfolio/presentation.ts'
import {
  createDayBlocks,
  createKeptStates,
  createPassingStates,
  createWholeReads,
  type DayStates,
  type Search,
} from './day-states.ts'
import { createDueSnapshots } from './due-snapshots-store.ts'
import { createEarlyReads, type EarlyReads } from './early-reads-store.ts'
import { createNights } from './nights.ts'
import { createSeries } from './series.ts'
import { portalSeriesRoutes, snapshotRoutes } from './snapshot-routes.ts'
import { createSnapshotStore } from './snapshot-store.ts'
import { createSnapshotStates, createSnapshotViews } from './snapshot-views.ts'

type TakingPorts = Pick<Ports, 'database' | 'reading' | 'clock' | 'logger'>

export function snapshotModule({
  config,
  protocols,
  portfolios,
  change,
  iconUrls,
  jobs,
  ...ports
}: Omit<Ports, 'chainTypes'>) {
  const { due, store, earlyReads, reads } = openTaking(ports)
  // Chains that are not enabled still have snapshots.
  const presentationOf = createPresentation({ chains: byKey(config.chains), rows: protocols, iconUrls })
  const presentation = presentationOf({ images: false, explorerUrls: false, flatAssets: true, origin: '' })
  const identityOf = createTokenIdentity(ports.reading.catalog)
  const protocolName = (key: string) => presentation.protocol(key).name
  const overview = (origin: string) => ({ identityOf, protocolName, icons: iconUrls(origin) })
  const nights = createNights({ due, store, earlyReads, reads, jobs, log: ports.logger })
  const views = createSnapshotViews({ states: createSnapshotStates(ports.database.db), presentation, overview })
  return {
    handlers: snapshotRoutes({ portfolios, change, nights, views }),
    portal: portalSeriesRoutes({ series: createSeries(ports.database.db) }),
    jobs: nights.jobs,
  } satisfies Module
}

export function openBackfill(ports: TakingPorts) {
  const { due, store, reads } = openTaking(ports)
  const { findSubscribers, findToday, listDays } = due
  const { byType, familyOf } = ports.reading
  /** Accounts need not have paid for the day. Existing snapshots stay. */
  async function backfill(day: { address: Address; date: string }, accounts: readonly bigint[]) {
    if (await store.shareExisting(day, accounts)) return { outcome: 'there already' }
    const read = await reads.at(day.address, startOfDay(day.date))
    if ('problem' in read) return read
    await store.save({ ...day, first: null }, read.reads, accounts)
    return { outcome: 'taken' }
  }

  return {
    backfill,
    findSubscribers,
    findToday,
    listDays,
    hasPastStates: (wallet: Address) => byType.get(familyOf(wallet) ?? '')?.days?.kept === true,
  }
}

function openTaking({ database: { db }, reading, clock, logger: log }: TakingPorts) {
  const earlyReads = createEarlyReads(db)
  const states = new Map(
    [...reading.byType].flatMap(([name, kind]) => {
      const states = daysOf(kind, reading, { earlyReads, clock, log })
      return states ? [[name, states] as const] : []
    }),
  )
  return {
    earlyReads,
    due: createDueSnapshots(db),
    store: createSnapshotStore(db),
    reads: createWholeReads((wallet) => states.get(reading.familyOf(wallet) ?? '')),
  }
}

function daysOf(
  { chains, days, search: advance }: ChainReading,
  reading: Pick<Reading, 'refresh'>,
  { earlyReads, clock, log }: { earlyReads: EarlyReads; clock: Clock; log: Logger },
): DayStates | undefined {
  if (!days) return undefined
  // A failed search does not stop the read; a later one finds the rest.
  const search: Search = async (chain, wallet, head) => {
    if (!advance) return { found: false, end: 'whole' }
    try {
      return await advance(chain, wallet, { block: head, hash: null })
    } catch (err) {
      log.warn(
        { err, chain: chain.key },
        'the search for unlisted assets failed; the snapshot is taken without them and marks that',
      )
      return { found: false, end: 'unfinished' }
    }
  }
  const common = {
    chains,
    search,
    refresh: async (chain: string, wallet: Address) => (await reading.refresh(chain, wallet)).read,
  }
  if (!days.kept) return createPassingStates({ ...common, ...days, clock })
  const blocks = createDayBlocks({ blockAt: days.blockAt, clock })
  return createKeptStates({ ...common, blocks, earlyReads, collectAt: days.collectAt })
}
