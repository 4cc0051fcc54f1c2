import { Failure } from '@coffer/contract'
import type { Address } from '../../domain/address.ts'
import { type ValuedRead, valueRead } from '../../domain/valuation.ts'
import type { Chain } from '../../kinds/chain.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { UpstreamReason } from '../../lib/upstream-error.ts'
import type { StoredRead, WalletReadStore } from '../../reading/wallet-read-store.ts'
import { isSearched, searchGap, type WalletSearch } from '../../reading/wallet-search.ts'
import { type Cached, createLastGood, type Known, type SourceGap } from '../freshness/last-good.ts'
import type { PortfolioState } from './present-portfolio.ts'

type Dependencies = {
  /** Those that are enabled here, in the order they are shown. */
  chains: readonly Pick<Chain, 'key' | 'family'>[]
  /** The kind of chain that a wallet is on; undefined for one that is not read anywhere. */
  familyOf(wallet: Address): Chain['family'] | undefined
  store: WalletReadStore
  /**
   * Reads a wallet on a chain and answers what is stored of it then. Rejects with `UpstreamError` when the chain cannot be
   * read. `follow` receives the search in the background, which resolves to whether it changed what is stored.
   */
  refresh(chain: string, wallet: Address, follow: (search: Promise<boolean>) => void): Promise<StoredRead>
  /** Called when a requested wallet is not in the cache. */
  noteUse(wallet: Address): void
  clock: Clock
  log: Pick<Logger, 'warn'>
}

/** A wallet as it was last read. */
export type CachedWallet = Cached<PortfolioState>

export type Portfolios = ReturnType<typeof createPortfolios>

type Read = { readAt: number; valued: ValuedRead; search: WalletSearch }

/** Last good reads of wallets per chain, renewed on demand. A wallet that was never read fails with 502. */
export function createPortfolios({ chains, familyOf, store, refresh, noteUse, clock, log }: Dependencies) {
  const keysOf: ReadonlyMap<string, string[]> = new Map(
    [...Map.groupBy(chains, ({ family }) => family)].map(([family, of]) => [family, of.map(({ key }) => key)]),
  )

  const sourcesOf = (wallet: Address) => keysOf.get(familyOf(wallet) ?? '') ?? []

  /** Whether any chain of the wallet's kind is read here. */
  const isRead = (wallet: Address) => sourcesOf(wallet).length > 0

  /** Rejects wallets if no chain of their kind is enabled. */
  function check(wallets: readonly Address[]): void {
    const stranger = wallets.find((wallet) => !isRead(wallet))
    if (stranger !== undefined)
      throw new Failure(
        'VALIDATION_ERROR',
        `wallets of this kind are not read here, as the operator has named no node for them: ${stranger}`,
      )
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

  /** The oldest of a wallet's last reads over its chains, in ms since the epoch; wallets never read are absent. */
  async function lastReadAt(wallets: readonly Address[]): Promise<Map<Address, number>> {
    const keys = chains.map(({ key }) => key)
    return store.lastReadAt(wallets, keys)
  }

  const lastGood = createLastGood({
    load,
    refresh: async (chain: string, wallet: Address, follow) => valuedOf(await refresh(chain, wallet, follow)),
    stateOf,
    clock,
    log,
  })
  return { ...lastGood, lastReadAt, isRead, check }
}

const valuedOf = ({ read, search }: StoredRead): Read => ({ readAt: read.readAt, valued: valueRead(read), search })

/** By why the nodes of a chain failed; undefined: the first read still runs. */
const CAUSES: Readonly<Record<UpstreamReason | 'running', string>> = {
  unavailable: 'no node could be reached, or all of them failed',
  timeout: 'no node answered in time',
  'rate-limited': 'the nodes refuse more requests for now',
  invalid: 'the nodes answer what cannot be read',
  'not-allowed': 'no node allows the calls that a read needs',
  running: 'the first read takes longer than a call may wait',
}

/** Why a wallet has no data at all, by chain, and where the operator finds more. It names no endpoint. */
function nothingRead(gaps: readonly SourceGap[]): string {
  const byCause = Map.groupBy(
    gaps,
    ({ cause, reason }) => cause ?? (reason === 'time-limit' ? 'running' : 'unavailable'),
  )
  const clauses = [...byCause].map(([cause, of]) => `${CAUSES[cause]} (${of.map(({ source }) => source).join(', ')})`)
  return `No chain could be read for this wallet: ${clauses.join('; ')}. Try again; the operator finds the cause with "coffer-admin doctor"`
}

/** Gaps for chains where the search for unlisted assets is incomplete. */
function searchGaps(reads: ReadonlyMap<string, Read>): SourceGap[] {
  return [...reads].flatMap(([source, { search, readAt }]): SourceGap[] => {
    const reason = searchGap(search, readAt)
    return reason ? [{ source, reason }] : []
  })
}
