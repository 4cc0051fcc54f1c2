import { Failure, type SyncProgress } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import type { Address } from '../../domain/address.ts'
import { type ValuedRead, valueRead } from '../../domain/valuation.ts'
import type { Clock } from '../../lib/clock.ts'
import type { WarnLog } from '../../lib/logger.ts'
import type { UpstreamReason } from '../../lib/upstream-error.ts'
import { isSearched, type StoredRead, searchGap, type WalletSearch } from '../../wallets/wallet-search.ts'
import { type Cached, createAnswerCache, type Known, type SourceGap } from '../freshness/answer-cache.ts'
import type { PortfolioState } from './present-portfolio.ts'

type Dependencies = {
  /** In display order. */
  chains: readonly { key: string; family: Chain['family'] }[]
  familyOf(wallet: Address): Chain['family'] | undefined
  store: {
    find(wallet: Address, chains: readonly string[]): Promise<StoredRead[]>
    /** In ms since the epoch: the oldest of the last reads over a wallet's chains. */
    lastReadAt(wallets: readonly Address[], chains: readonly string[]): Promise<Map<Address, number>>
  }
  /** Rejects with `UpstreamError`. The background search resolves to true if it changed the stored read. */
  refresh(chain: string, wallet: Address, follow: (search: Promise<boolean>) => void): Promise<StoredRead>
  noteUse(wallet: Address): void
  clock: Clock
  log: WarnLog
}

export type CachedWallet = Cached<PortfolioState>

export type Portfolios = ReturnType<typeof createPortfolios>

type Read = { readAt: number; valued: ValuedRead; search: WalletSearch }

/** A wallet that was never read fails with 502. */
export function createPortfolios({ chains, familyOf, store, refresh, noteUse, clock, log }: Dependencies) {
  const keysOf: ReadonlyMap<string, string[]> = new Map(
    [...Map.groupBy(chains, ({ family }) => family)].map(([family, of]) => [family, of.map(({ key }) => key)]),
  )

  const sourcesOf = (wallet: Address) => keysOf.get(familyOf(wallet) ?? '') ?? []

  const isRead = (wallet: Address) => sourcesOf(wallet).length > 0

  function check(wallets: readonly Address[]): void {
    const outsider = wallets.find((wallet) => !isRead(wallet))
    if (outsider !== undefined)
      throw new Failure('VALIDATION_ERROR', `this service has no node for wallets of this type: ${outsider}`)
  }

  async function load(wallet: Address): Promise<Known<Read>> {
    noteUse(wallet)
    const sources = sourcesOf(wallet)
    const found = await store.find(wallet, sources)
    return { sources, reads: new Map(found.map((stored) => [stored.read.chain, valuedOf(stored)])) }
  }

  function stateOf(wallet: Address, { sources, reads }: Known<Read>, gaps: readonly SourceGap[]): PortfolioState {
    if (reads.size === 0) throw new Failure('UPSTREAM_UNAVAILABLE', nothingRead(gaps))
    return {
      address: wallet,
      reads: sources.flatMap((chain) => reads.get(chain)?.valued ?? []),
      incomplete: [...gaps, ...searchGaps(reads)].map(({ source, reason }) => ({ chain: source, reason })),
      unasked: [...reads].flatMap(([chain, { search, readAt }]) =>
        search.unasked && isSearched(search, readAt) ? chain : [],
      ),
    }
  }

  const everyChain = chains.map(({ key }) => key)
  const lastReadAt = (wallets: readonly Address[]) => store.lastReadAt(wallets, everyChain)

  const cache = createAnswerCache({
    load,
    refresh: async (chain: string, wallet: Address, follow) => valuedOf(await refresh(chain, wallet, follow)),
    stateOf,
    clock,
    log,
  })
  return { ...cache, lastReadAt, isRead, check }
}

const valuedOf = ({ read, search }: StoredRead): Read => ({ readAt: read.readAt, valued: valueRead(read), search })

const CAUSES: Readonly<Record<UpstreamReason | 'running', string>> = {
  unavailable: 'no node could be reached, or all of them failed',
  timeout: 'no node answered in time',
  'rate-limited': 'the nodes refuse more requests for now',
  invalid: 'the nodes answer what cannot be read',
  'not-allowed': 'no node allows the calls that a read requires',
  running: 'the first read takes longer than a call may wait',
}

/** Names no endpoint. */
function nothingRead(gaps: readonly SourceGap[]): string {
  const byCause = Map.groupBy(
    gaps,
    ({ cause, reason }) => cause ?? (reason === 'time-limit' ? 'running' : 'unavailable'),
  )
  const clauses = [...byCause].map(([cause, of]) => `${CAUSES[cause]} (${of.map(({ source }) => source).join(', ')})`)
  return `No chain could be read for this wallet: ${clauses.join('; ')}. Try again; the operator finds the cause with "coffer-admin doctor"`
}

function searchGaps(reads: ReadonlyMap<string, Read>): SourceGap[] {
  return [...reads].flatMap(([source, { search, readAt }]): SourceGap[] => {
    const reason = searchGap(search, readAt)
    return reason ? [{ source, reason }] : []
  })
}

/** `completedAt` in Unix milliseconds. */
export type FoundSync = { completedAt: number | null; progress: SyncProgress }

export type FindSyncs = (wallets: readonly Address[]) => Promise<(wallet: Address) => FoundSync>

/** `portfolioLastSync`: the oldest over the wallet's chains. */
export async function getSyncStatus(portfolios: Portfolios, findSyncs: FindSyncs, addresses: readonly Address[]) {
  const [lastReadAt, syncOf] = await Promise.all([portfolios.lastReadAt(addresses), findSyncs(addresses)])
  return addresses.map((address) => {
    const { completedAt, progress } = syncOf(address)
    return {
      address,
      portfolioLastSync: asTime(lastReadAt.get(address)),
      transactionsLastSync: asTime(completedAt),
      syncInProgress: progress.state === 'running',
      sync: progress,
    }
  })
}

const asTime = (at: number | null | undefined) => (at === null || at === undefined ? null : new Date(at).toISOString())
