import { Failure } from '@coffer/contract'
import { createTokenIdentity } from '../../catalog/token-identity.ts'
import type { Chain } from '../../chains/chain.ts'
import type { ChainReading } from '../../chains/chain-reading.ts'
import type { SearchStep } from '../../chains/shared/search-end.ts'
import type { Db } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { startOfDay } from '../../domain/day.ts'
import type { PaidChanges } from '../credits/paid-changes.ts'
import type { AllHandlers, Module, Ports, ReadingPorts } from '../module.ts'
import type { Portfolios } from '../portfolio/portfolios.ts'
import {
  createPresentation,
  isWhole,
  type Presentation,
  presentPortfolio,
  type ShownParts,
  withCompleteness,
} from '../portfolio/present-portfolio.ts'
import { type AtBlockContext, checkMoment, getAtBlock } from './at-block.ts'
import { dayStatesOf, isRead, readDay, type SnapshotsContext } from './day-states.ts'
import { beginFirst, type NightsContext, snapshotJobs } from './nights.ts'
import { getPortfolioSeries, seriesJob } from './series.ts'
import { saveSnapshot, shareExisting, type WalletDate } from './snapshot-store.ts'
import { getSnapshot, hasSnapshot, viewSeries } from './snapshots.ts'
import { priceOf, subscribe } from './subscriptions.ts'
import { type OverviewPresentation, presentTokenOverview } from './token-overview.ts'

export function snapshotModule({ config, protocols, portfolios, change, iconUrls, jobs, ...ports }: Ports) {
  const { reads } = ports.database
  // Chains that are not enabled still have snapshots.
  const presentationOf = createPresentation(config.chains, protocols, iconUrls)
  const presentation = presentationOf({ images: false, explorerUrls: false, flatAssets: true, origin: '' })
  const identityOf = createTokenIdentity(ports.reading.catalog)
  const protocolName = (key: string) => presentation.protocol(key).name
  const overview = (origin: string) => ({ identityOf, protocolName, icons: iconUrls(origin) })
  const nights = { ...openSnapshots(ports), jobs, log: ports.logger }
  const atBlock = { ...ports, db: reads, presentationOf }
  const series = { ...ports, db: ports.database.db, jobs }
  return {
    handlers: {
      ...snapshotRoutes({ ...nights, reads, portfolios, change, presentation, overview }),
      ...atBlockRoutes({ ...atBlock, portfolios }),
      getPortfolioSeries: {
        prepare: ({ query }) => portfolios.check(query.addresses),
        handle: async ({ query, caller }) => {
          const answer = await getPortfolioSeries(series, caller.accountId, query)
          return withCompleteness(
            answer,
            answer.points.every((point) => !point.computing && isWhole(point)),
          )
        },
      },
    },
    portal: { getSeries: ({ caller, query }) => viewSeries(reads, caller.accountId, query) },
    jobs: [...snapshotJobs(nights), seriesJob(series)],
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
  const days = new Map([...reading.byType].map(([name, chainType]) => [name, daysOf(chainType, ports)]))
  return { db: database.db, daysOf: (wallet) => days.get(reading.familyOf(wallet) ?? '') }
}

function daysOf({ chains, days, search: advance }: ChainReading, { reading, clock, logger: log }: ReadingPorts) {
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

type SnapshotRoutesContext = NightsContext & {
  reads: Db
  portfolios: Portfolios
  change: PaidChanges
  presentation: Presentation
  overview(origin: string): OverviewPresentation
}

function snapshotRoutes(context: SnapshotRoutesContext) {
  const { reads, portfolios, change, presentation, overview } = context
  /** Snapshots of a disabled chain type stay readable. */
  const prepare = async ({ query, caller }: { query: WalletsOnDay; caller: { accountId: string } }) => {
    for (const asked of walletDaysOf(query, caller)) {
      if (!portfolios.isRead(asked.address) && !(await hasSnapshot(reads, asked))) portfolios.check([asked.address])
    }
  }
  return {
    subscribeSnapshot: {
      async transact(call) {
        const wanted = call.body.addresses
        portfolios.check(wanted.map(({ address }) => address))
        const unread = wanted.find(({ address }) => !isRead(context, address))
        if (unread) {
          const reported = `snapshots of wallets of this type cannot be taken: ${unread.address}`
          throw new Failure('VALIDATION_ERROR', reported)
        }
        const subscriptions = await change(
          { ...call, purpose: 'snapshots', cost: (trx, account) => priceOf(trx, account, wanted) },
          (trx, account) => subscribe(context, trx, account, wanted),
        )
        beginFirst(context)
        return { message: 'Snapshots are taken daily', subscriptions }
      },
    },
    getHistorical: {
      prepare,
      handle: async ({ query, caller }) => {
        const states = await Promise.all(walletDaysOf(query, caller).map((asked) => getSnapshot(reads, asked)))
        const views = states.map((state) => presentPortfolio(state, presentation))
        return withCompleteness(views, views.every(isWhole))
      },
    },
    getTokenOverview: {
      prepare,
      handle: async ({ query, caller, origin }) => {
        const [asked] = walletDaysOf(query, caller)
        if (!asked) throw new Error('a request without an address')
        return presentTokenOverview((await getSnapshot(reads, asked)).reads, overview(origin))
      },
    },
  } satisfies Partial<AllHandlers>
}

type AtBlockRoutesContext = AtBlockContext & { portfolios: Portfolios; presentationOf(shown: ShownParts): Presentation }

function atBlockRoutes(context: AtBlockRoutesContext) {
  const { portfolios, presentationOf } = context
  return {
    getPortfolioAtBlock: {
      prepare({ query }) {
        portfolios.check(query.addresses)
        checkMoment(context, query.addresses, query)
      },
      handle: async ({ query, caller: { accountId }, origin }) => {
        const { includeImages: images, includeExplorerUrls: explorerUrls, includeFlatAssets: flatAssets } = query
        const states = await Promise.all(
          query.addresses.map((wallet) => getAtBlock(context, { accountId, wallet, moment: query })),
        )
        const shown = presentationOf({ images, explorerUrls, flatAssets, origin })
        const views = states.map((state) => presentPortfolio(state, shown))
        return withCompleteness(views, views.every(isWhole))
      },
    },
  } satisfies Partial<AllHandlers>
}

type WalletsOnDay = { addresses: readonly Address[]; date: string }

const walletDaysOf = ({ addresses, date }: WalletsOnDay, { accountId }: { accountId: string }) =>
  addresses.map((address) => ({ accountId, address, date }))
