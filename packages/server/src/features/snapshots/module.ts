import { createTokenIdentity } from '../../catalog/token-identity.ts'
import type { Chain } from '../../chains/chain.ts'
import type { ChainReading } from '../../chains/chain-reading.ts'
import type { SearchStep } from '../../chains/shared/search-end.ts'
import type { Address } from '../../domain/address.ts'
import { startOfDay } from '../../domain/day.ts'
import type { Module, Ports, ReadingPorts } from '../module.ts'
import { createPresentation } from '../portfolio/presentation.ts'
import { type DayStates, dayStatesOf, readDay, type SnapshotsContext } from './day-states.ts'
import { snapshotJobs } from './nights.ts'
import { viewSeries } from './series.ts'
import { snapshotRoutes } from './snapshot-routes.ts'
import { saveSnapshot, shareExisting, type WalletDate } from './snapshot-store.ts'

export function snapshotModule({ config, protocols, portfolios, change, iconUrls, jobs, ...ports }: Ports) {
  const { db } = ports.database
  // Chains that are not enabled still have snapshots.
  const presentationOf = createPresentation(config.chains, protocols, iconUrls)
  const presentation = presentationOf({ images: false, explorerUrls: false, flatAssets: true, origin: '' })
  const identityOf = createTokenIdentity(ports.reading.catalog)
  const protocolName = (key: string) => presentation.protocol(key).name
  const overview = (origin: string) => ({ identityOf, protocolName, icons: iconUrls(origin) })
  const nights = { ...openSnapshots(ports), jobs, log: ports.logger }
  return {
    handlers: snapshotRoutes({ ...nights, portfolios, change, presentation, overview }),
    portal: { getSeries: ({ caller, query }) => viewSeries(db, caller.accountId, query) },
    jobs: snapshotJobs(nights),
  } satisfies Module
}

/** Accounts need not have paid for the day. Existing snapshots stay. */
export async function backfill(context: SnapshotsContext, day: WalletDate, accounts: readonly bigint[]) {
  const { db } = context
  if (await shareExisting(db, day, accounts)) return { outcome: 'there already' }
  const read = await readDay(context, day.address, startOfDay(day.date))
  if ('problem' in read) return read
  await saveSnapshot(db, { ...day, first: null }, read.reads, accounts)
  return { outcome: 'taken' }
}

export function openSnapshots(ports: ReadingPorts): SnapshotsContext {
  const { database, reading } = ports
  const days = new Map(
    [...reading.byType].flatMap(([name, chainType]) => {
      const ofType = daysOf(chainType, ports)
      return ofType ? [[name, ofType] as const] : []
    }),
  )
  return { db: database.db, daysOf: (wallet) => days.get(reading.familyOf(wallet) ?? '') }
}

function daysOf(
  { chains, days, search: advance }: ChainReading,
  { reading, clock, logger: log }: ReadingPorts,
): DayStates | undefined {
  if (!days) return undefined
  // A failed search does not stop the read; a later one finds the rest.
  async function search(chain: Chain, wallet: Address, head: bigint): Promise<SearchStep> {
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
  const shared = {
    chains,
    search,
    refresh: async (chain: string, wallet: Address) => (await reading.refresh(chain, wallet)).read,
  }
  return dayStatesOf(shared, days, clock)
}
