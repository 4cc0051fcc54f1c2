import type { ChainItem } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import type { IconUrls } from '../icons/icon-urls.ts'
import { byName } from './by-name.ts'

export type ChainSupport = {
  readsPortfolio(chainKey: string): boolean
  /** Requires logs that can be served as transactions. */
  readsTransactions(chainKey: string): boolean
}

export function listChains(chains: readonly Chain[], support: ChainSupport, icons: IconUrls): ChainItem[] {
  return chains.toSorted(byName).map((chain) => ({
    chainId: chain.chainId,
    key: chain.key,
    name: chain.name,
    symbol: chain.native.symbol,
    color: chain.color,
    ...icons.chain(chain.key),
    explorerTokenUrl: chain.explorer.token,
    explorerTransactionUrl: chain.explorer.transaction,
    explorerAddressUrl: chain.explorer.address,
    altExplorerAddressUrl: chain.altExplorer?.address ?? null,
    altExplorerTokenUrl: chain.altExplorer?.token ?? null,
    altExplorerTransactionUrl: chain.altExplorer?.transaction ?? null,
    isPortfolioSupported: support.readsPortfolio(chain.key),
    isTransactionsSupported: support.readsTransactions(chain.key),
  }))
}
