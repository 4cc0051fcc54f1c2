import type { Reading } from './compose-reading.ts'
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import type { Address } from './domain/address.ts'
import { createIconUrls } from './features/icons/icon-urls.ts'
import { createPresentation } from './features/portfolio/presentation.ts'
import { createBackfill } from './features/snapshots/backfill.ts'
import { createDayBlocks } from './features/snapshots/day-blocks.ts'
import type { DayStates } from './features/snapshots/day-states.ts'
import { createDueSnapshots } from './features/snapshots/due-snapshots-store.ts'
import { createEarlyReads, type EarlyReads } from './features/snapshots/early-reads-store.ts'
import { createKeptStates } from './features/snapshots/kept-states.ts'
import { createNights } from './features/snapshots/nights.ts'
import { createPassingStates } from './features/snapshots/passing-states.ts'
import { quietSearch } from './features/snapshots/quiet-search.ts'
import { createSnapshotStore } from './features/snapshots/snapshot-store.ts'
import { createSnapshotViews } from './features/snapshots/snapshot-views.ts'
import { createWholeReads } from './features/snapshots/whole-reads.ts'
import type { Jobs } from './jobs/queue.ts'
import { byKey } from './kinds/chain-catalog.ts'
import type { ChainKinds } from './kinds/kind.ts'
import type { KindReading } from './kinds/kind-reading.ts'
import type { TokenCatalog } from './knowledge/token-catalog.ts'
import { createTokenIdentity } from './knowledge/token-identity.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'

type Dependencies = {
  config: Config
  database: Pick<Database, 'db'>
  kinds: Pick<ChainKinds, 'protocols'>
  catalog: TokenCatalog
  reading: Reading
  clock: Clock
  logger: Logger
}

/** Everything that takes snapshots of wallets by night and shows them. */
export function composeSnapshots({
  jobs,
  ...rest
}: Dependencies & { jobs: Pick<Jobs, 'define' | 'every' | 'sendAll' | 'wake'> }) {
  const { config, kinds, catalog, logger: log } = rest
  const { due, store, earlyReads, reads } = composeTaking(rest)
  const rows = [...kinds.protocols, ...config.protocols]
  const iconUrls = (origin: string) => createIconUrls({ origin, tokens: catalog })
  // A chain that is no longer read still has its snapshots.
  const presentationOf = createPresentation({ chains: byKey(config.chains), rows, iconUrls })
  const presentation = presentationOf({ images: false, explorerUrls: false, flatAssets: true, origin: '' })
  const identityOf = createTokenIdentity(catalog)
  const protocolName = (key: string) => presentation.protocol(key).name
  const overview = (origin: string) => ({ identityOf, protocolName, icons: iconUrls(origin) })
  return {
    nights: createNights({ due, store, earlyReads, reads, jobs, log }),
    views: createSnapshotViews({ store, presentation, overview }),
  }
}

/** Composes snapshots on command of the operator. */
export function composeBackfill(dependencies: Dependencies) {
  const { due, store, reads } = composeTaking(dependencies)
  const { findSubscribers, findToday, listDays } = due
  return { backfill: createBackfill({ store, reads }), findSubscribers, findToday, listDays }
}

function composeTaking({ database: { db }, reading, clock, logger: log }: Dependencies) {
  const earlyReads = createEarlyReads(db)
  const states = new Map(
    [...reading.byKind].map(([name, kind]) => [name, daysOf(kind, reading, { earlyReads, clock, log })]),
  )
  return {
    earlyReads,
    due: createDueSnapshots(db),
    store: createSnapshotStore(db),
    reads: createWholeReads((wallet) => states.get(reading.familyOf(wallet) ?? '')),
  }
}

/** The days of one kind of chain. */
function daysOf(
  { chains, days, search: advance }: KindReading,
  reading: Reading,
  { earlyReads, clock, log }: { earlyReads: EarlyReads; clock: Clock; log: Logger },
): DayStates {
  const search = quietSearch((chain, wallet, head) => advance(chain, wallet, { block: head, hash: null }), log)
  const common = {
    ...{ chains, search },
    refresh: async (chain: string, wallet: Address) => (await reading.refresh(chain, wallet)).read,
  }
  if (!days.kept) return createPassingStates({ ...common, ...days, clock })
  const blocks = createDayBlocks({ blockAt: days.blockAt, clock })
  return createKeptStates({ ...common, blocks, earlyReads, collectAt: days.collectAt })
}
