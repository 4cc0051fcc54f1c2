import type { Address } from '../../domain/address.ts'
import type { Logger } from '../../lib/logger.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { Searched } from '../coverage/coverage.ts'
import type { FollowedStore } from './followed-store.ts'
import type { SaveFound, WalletHistory } from './histories.ts'
import type { HistoryStore } from './history-store.ts'

/** Wallets that share a search: nodes take some thousand topics in one filter. */
const TOGETHER = 500

/**
 * Keeps the histories of followed wallets whole: on each chain one search of the new blocks for all of them. It costs
 * nobody anything.
 */
export function createFollower({
  chains,
  followed,
  histories,
  store,
  complete,
  log,
}: {
  chains: readonly string[]
  followed: FollowedStore
  histories: WalletHistory
  store: HistoryStore
  complete(of: Searched): Promise<void>
  log: Pick<Logger, 'warn'>
}) {
  return async function follow(): Promise<void> {
    for (const chain of chains) {
      const wallets = await followed.list(chain)
      for (let from = 0; from < wallets.length; from += TOGETHER) {
        await followOn(chain, wallets.slice(from, from + TOGETHER)).catch((err: unknown) => {
          if (!(err instanceof UpstreamError)) throw err
          log.warn({ err, chain }, 'the new blocks of a chain could not be searched')
        })
      }
    }
  }

  async function followOn(chain: string, wallets: readonly Address[]): Promise<void> {
    const save: SaveFound = (of, found, searched) => store.save(of, found, searched, async () => undefined)
    await histories.follow(chain, wallets, save)
    for (const wallet of await followed.listUnpriced(chain, wallets)) await complete({ chain, wallet })
  }
}
