import type { Reading } from './compose-reading.ts'
import type { Config } from './config/config.ts'
import type { BalanceStore } from './features/history/balance-store.ts'
import type { HistoryStore } from './features/history/history-store.ts'
import { createReadHistory } from './features/history/read-history.ts'
import { createReconcile } from './features/history/reconcile.ts'
import { createWalletHistory } from './features/history/wallet-history.ts'
import { createExplorerSources } from './kinds/evm/activity/explorer-sources.ts'
import { activityPieces } from './kinds/evm/activity/wallet-activity.ts'
import type { Bridge } from './kinds/evm/history/bridge.ts'
import type { TokenCatalog } from './knowledge/token-catalog.ts'
import type { Clock } from './lib/clock.ts'

/** Role that protocol families give to debt tokens. */
const DEBT = 'debt'

/** Composes histories of wallets on EVM chains. */
export function composeEvmHistory({
  config,
  catalog,
  reading: { chains, pools, openReader, tokens, instruments, recognise },
  bridges,
  store,
  balances,
  clock,
}: {
  catalog: Pick<TokenCatalog, 'find'>
  config: Pick<Config, 'explorers'>
  reading: Reading
  bridges: readonly Bridge[]
  store: HistoryStore
  balances: BalanceStore
  clock: Clock
}) {
  const { prepare, read, bookOf, wholeBookOf } = createReadHistory({ chains, instruments, tokens, recognise, bridges })
  const isLocal = (chain: string) => chains.get(chain)?.isLocal === true
  const explorers = createExplorerSources(config.explorers, [...chains.values()], clock)
  const findActivity: typeof activityPieces = (search) => {
    const native = explorers.get(search.pool.chain)
    return activityPieces({ ...search, ...(native && { native }) })
  }
  const reconcile = createReconcile({
    store: balances,
    openReader: (chain, at) => openReader(chain, [], at),
    async natureOf(chain, tokens) {
      const book = await wholeBookOf(chain, tokens)
      return (token) => {
        const instrument = book.instrumentOf(token)?.instrument
        return {
          rebasing: book.isRebasing(token),
          debt: instrument?.role === DEBT,
          listed: instrument !== undefined || catalog.find(chain, token) !== undefined,
        }
      }
    },
  })
  return { histories: createWalletHistory({ pools, store, isLocal, findActivity, prepare, read }), reconcile, bookOf }
}
