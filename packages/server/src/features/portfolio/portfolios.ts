import { Failure, type IncompleteItem, type IncompleteReason } from '@coffer/contract'
import type { EvmAddress } from '../../domain/evm-address.ts'
import { type ValuedRead, valueRead } from '../../domain/valuation.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { WalletState } from './present-portfolio.ts'
import type { WalletReadStore } from './wallet-read-store.ts'

/** A read younger than this is answered as it is; an older one is renewed. */
const FRESH_MS = 60_000
/** After a failed read a chain is left alone this long. */
const RETRY_MS = 10_000
/** Longest wait for a first read, or for a fresh one where the caller asked for it. */
const WAIT_MS = 30_000
/** Wallets, and failures of wallets, kept in memory: some 100 kB each. */
const CACHED_WALLETS = 500

type Dependencies = {
  /** Keys of the chains that are enabled here, in the order they are shown. */
  chains: readonly string[]
  store: WalletReadStore
  /** Reads a wallet on a chain and stores what it found. Rejects with `UpstreamError` when the chain cannot be read. */
  refresh(chain: string, wallet: EvmAddress): Promise<WalletRead>
  clock: Clock
  log: Pick<Logger, 'warn'>
}

/** A wallet as it was last read. `freshUntil` in ms: until then it may be answered without a look elsewhere. */
export type CachedWallet = { state: WalletState; freshUntil: number }
type FailedRead = { at: number; reason: IncompleteReason }

export type Portfolios = ReturnType<typeof createPortfolios>

/** Last good reads of wallets, renewed by need: fresh ones at once, old ones at once and renewed behind, unknown ones awaited. */
export function createPortfolios({ chains, store, refresh, clock, log }: Dependencies) {
  const cache = new BoundedMap<EvmAddress, CachedWallet>(CACHED_WALLETS)
  const flights = createSingleFlight<void>()
  const failures = new BoundedMap<string, FailedRead>(CACHED_WALLETS)
  const keyOf = (wallet: EvmAddress, chain: string) => `${chain}:${wallet}`

  /** The wallet's state from memory, if it is still fresh. */
  function findFresh(wallet: EvmAddress): CachedWallet | undefined {
    const cached = cache.get(wallet)
    return cached && cached.freshUntil > clock.now() ? cached : undefined
  }

  /** The state of a wallet, waiting as the rules of freshness say. Fails with 502 when nothing at all is known of it. */
  async function getState(wallet: EvmAddress, waitForSync: boolean): Promise<CachedWallet> {
    const fresh = findFresh(wallet)
    if (fresh) return fresh
    const before = await load(wallet)
    const started = chains.filter((chain) => isDue(wallet, chain, before)).map((chain) => renew(wallet, chain))
    const mustWait = started.length > 0 && (waitForSync || before.size === 0)
    if (!mustWait) return remember(wallet, before)
    const inTime = await endedWithin(Promise.all(started), WAIT_MS)
    return remember(wallet, await load(wallet), !inTime)
  }

  async function load(wallet: EvmAddress): Promise<Map<string, ValuedRead>> {
    const reads = await store.find(wallet, chains)
    return new Map(reads.map((read) => [read.chain, valueRead(read)]))
  }

  function isDue(wallet: EvmAddress, chain: string, reads: ReadonlyMap<string, ValuedRead>): boolean {
    const read = reads.get(chain)?.read
    const failed = failures.get(keyOf(wallet, chain))
    if (failed && failed.at + RETRY_MS > clock.now()) return flights.has(keyOf(wallet, chain))
    return !read || read.readAt + FRESH_MS <= clock.now()
  }

  /** Never rejects: a failure is remembered, and shown as a gap. */
  function renew(wallet: EvmAddress, chain: string): Promise<void> {
    const key = keyOf(wallet, chain)
    return flights.run(key, async () => {
      try {
        await refresh(chain, wallet)
        failures.delete(key)
        cache.delete(wallet)
      } catch (err) {
        log.warn({ err, chain }, 'a wallet could not be read')
        const notAllowed = err instanceof UpstreamError && err.reason === 'not-allowed'
        failures.set(key, { at: clock.now(), reason: notAllowed ? 'not-allowed' : 'unreadable' })
      }
    })
  }

  function remember(wallet: EvmAddress, reads: ReadonlyMap<string, ValuedRead>, timedOut = false): CachedWallet {
    if (reads.size === 0) throw new Failure('UPSTREAM_UNAVAILABLE', 'No chain could be read for this wallet; try again')
    const gaps = chains.flatMap((chain) => chainGap(wallet, chain, reads.has(chain), timedOut))
    const ordered = chains.flatMap((chain) => reads.get(chain) ?? [])
    const cached = {
      state: { address: wallet, reads: ordered, incomplete: gaps },
      freshUntil: freshUntil(wallet, reads),
    }
    cache.set(wallet, cached)
    return cached
  }

  function chainGap(wallet: EvmAddress, chain: string, known: boolean, timedOut: boolean): IncompleteItem[] {
    const failed = failures.get(keyOf(wallet, chain))
    if (failed) return [{ chain, reason: known ? 'stale' : failed.reason }]
    if (known) return []
    return [{ chain, reason: timedOut ? 'time-limit' : 'unreadable' }]
  }

  /** A chain that failed counts as fresh until it is due again; one that is being read now makes the wallet not fresh. */
  function freshUntil(wallet: EvmAddress, reads: ReadonlyMap<string, ValuedRead>): number {
    const ends = chains.map((chain) => {
      const failed = failures.get(keyOf(wallet, chain))
      if (failed) return failed.at + RETRY_MS
      const read = reads.get(chain)?.read
      return read ? read.readAt + FRESH_MS : 0
    })
    return Math.min(...ends)
  }

  /** When the wallet was last read, over its chains the oldest; null when never. Milliseconds since the epoch. */
  async function lastReadAt(wallets: readonly EvmAddress[]): Promise<Map<EvmAddress, number>> {
    return store.lastReadAt(wallets, chains)
  }

  return { findFresh, getState, lastReadAt }
}
