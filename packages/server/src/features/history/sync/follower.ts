import type { SaveFound, WalletHistory } from '../../../chains/histories.ts'
import { isDatabaseUnavailable } from '../../../db/unavailable.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { createGate } from '../../../lib/concurrency.ts'
import type { Logger } from '../../../lib/logger.ts'
import { unlessAborted } from '../../../lib/unless-aborted.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { HistoryStore } from '../store/history-store.ts'
import type { FollowedStore, FollowStep, SetAsideStore } from './followed-store.ts'
import { narrowFailures } from './narrow-failures.ts'

/** Nodes accept some thousand topics in a filter. */
export const TOGETHER = 500
const PRICED_AT_ONCE = 4

/** Ends once all wallets were followed since `before`. */
export type FollowRound = { chain: string; before: string }

/** One search serves a group of wallets, free of charge. A failing wallet is set aside with growing pauses. */
export function createFollower({
  followed,
  setAside,
  histories,
  store,
  complete,
  log,
}: {
  followed: Pick<FollowedStore, 'take' | 'listUnpriced'>
  setAside: SetAsideStore
  histories: WalletHistory
  store: Pick<HistoryStore, 'save' | 'group'>
  complete(of: WalletOnChain, signal: AbortSignal): Promise<void>
  log: Pick<Logger, 'warn' | 'error'>
}) {
  return async function follow(signal: AbortSignal, { chain, before }: FollowRound): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const wallets = await followed.take(chain, new Date(before), TOGETHER)
      if (wallets.length === 0) return
      await searchNew(signal, chain, wallets)
      await completeNew(signal, chain, wallets)
    }
  }

  async function searchNew(signal: AbortSignal, chain: string, wallets: readonly Address[]): Promise<void> {
    const free: SaveFound = (of, found, searched) => store.save(of, found, searched, async () => undefined)
    const saves = { save: unlessAborted(signal, free), saveIdle: unlessAborted(signal, store.group.saveIdle) }
    const search = async (part: readonly Address[]) => {
      const failed = new Map<Address, unknown>()
      await histories.follow(chain, part, saves, (wallet, error) => {
        throwUnlessOfWallet(signal, error)
        failed.set(wallet, error)
      })
      return failed
    }
    const { failed, shared } = await narrowFailures(wallets, search, (error) => throwUnlessOfWallet(signal, error))
    for (const [wallet, error] of failed) await note({ chain, wallet }, 'search', error)
    if (shared !== undefined) {
      log.warn(
        { err: shared, chain, wallets: wallets.length },
        'the new blocks of a chain could not be searched for its followed wallets; the next round tries again',
      )
      return
    }
    await setAside.remove(
      chain,
      wallets.filter((wallet) => !failed.has(wallet)),
      'search',
    )
  }

  async function completeNew(signal: AbortSignal, chain: string, wallets: readonly Address[]): Promise<void> {
    const gate = createGate(PRICED_AT_ONCE)
    const failed = new Set<Address>()
    const one = async (wallet: Address) => {
      try {
        await complete({ chain, wallet }, signal)
      } catch (error) {
        throwUnlessOfWallet(signal, error)
        failed.add(wallet)
        await note({ chain, wallet }, 'price', error)
      }
    }
    const open = await followed.listUnpriced(chain, wallets)
    const ended = await Promise.allSettled(open.map((wallet) => gate(() => one(wallet))))
    for (const outcome of ended) if (outcome.status === 'rejected') throw outcome.reason
    await setAside.remove(
      chain,
      wallets.filter((wallet) => !failed.has(wallet)),
      'price',
    )
  }

  async function note(of: WalletOnChain, step: FollowStep, err: unknown): Promise<void> {
    const noted = await setAside.add(of, step, err instanceof Error ? err.message : String(err))
    const facts = { err, ...of, step, failures: noted?.failures, retryAt: noted?.retry_at }
    if (err instanceof UpstreamError) log.warn(facts, 'a wallet could not be followed and is set aside until retryAt')
    else log.error(facts, 'a wallet could not be followed because of a bug and is set aside until retryAt')
  }
}

/** Rethrows an abort or an unavailable database. */
function throwUnlessOfWallet(signal: AbortSignal, error: unknown): void {
  if (signal.aborted || isDatabaseUnavailable(error)) throw error
}
