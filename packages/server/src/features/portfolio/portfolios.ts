import { Failure } from '@coffer/contract'
import type { Address } from '../../domain/address.ts'
import { type ValuedRead, valueRead } from '../../domain/valuation.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { type Cached, createLastGood, type Known, type SourceGap } from '../freshness/last-good.ts'
import type { PortfolioState } from './present-portfolio.ts'
import type { WalletReadStore } from './wallet-read-store.ts'

type Dependencies = {
  /** Keys of the chains that are enabled here, in the order they are shown. */
  chains: readonly string[]
  store: WalletReadStore
  /** Reads a wallet on a chain and stores what it found. Rejects with `UpstreamError` when the chain cannot be read. */
  refresh(chain: string, wallet: Address): Promise<WalletRead>
  clock: Clock
  log: Pick<Logger, 'warn'>
}

/** A wallet as it was last read. */
export type CachedWallet = Cached<PortfolioState>

export type Portfolios = ReturnType<typeof createPortfolios>

type Read = { readAt: number; valued: ValuedRead }

/** Last good reads of wallets, one a chain, renewed by need. A wallet of which nothing at all is known fails with 502. */
export function createPortfolios({ chains, store, refresh, clock, log }: Dependencies) {
  async function load(wallet: Address): Promise<Known<Read>> {
    const found = await store.find(wallet, chains)
    const reads = found.map((read): [string, Read] => [read.chain, { readAt: read.readAt, valued: valueRead(read) }])
    return { sources: chains, reads: new Map(reads) }
  }

  function stateOf(wallet: Address, { reads }: Known<Read>, gaps: readonly SourceGap[]): PortfolioState {
    if (reads.size === 0) throw new Failure('UPSTREAM_UNAVAILABLE', 'No chain could be read for this wallet; try again')
    return {
      address: wallet,
      reads: chains.flatMap((chain) => reads.get(chain)?.valued ?? []),
      incomplete: gaps.map(({ source, reason }) => ({ chain: source, reason })),
    }
  }

  /** When the wallet was last read, over its chains the oldest; null when never. Milliseconds since the epoch. */
  async function lastReadAt(wallets: readonly Address[]): Promise<Map<Address, number>> {
    return store.lastReadAt(wallets, chains)
  }

  return { ...createLastGood({ load, refresh, stateOf, clock, log }), lastReadAt }
}
