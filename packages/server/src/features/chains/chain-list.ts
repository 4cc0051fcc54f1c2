import type { ChainItem, ProtocolItem } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import { firstByKey, type NamedProtocol } from '../../domain/named-protocol.ts'
import { uuidV5 } from '../../lib/uuid.ts'
import type { IconUrls } from '../icons/icons.ts'

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

/** Must not change: clients store the UUIDs. */
const PROTOCOL_NAMESPACE = 'b5a0a9f4-3f0e-4c1b-9d5c-6f2f6c1f7a31'

export type ProtocolLists = ReturnType<typeof createProtocolLists>

function groupByChain(rows: readonly NamedProtocol[]): Map<string, NamedProtocol[]> {
  const byChain = Map.groupBy(rows, (row) => row.chain)
  return new Map([...byChain].map(([chain, ofChain]) => [chain, [...firstByKey(ofChain).values()].sort(byName)]))
}

/** `system`: shipped; `user`: configured. The first deployment of a key names the protocol. */
export function createProtocolLists({ system, user }: Record<'system' | 'user', readonly NamedProtocol[]>) {
  const systemKeys = new Set(system.map((row) => row.key))
  const own = groupByChain(user.filter((row) => !systemKeys.has(row.key)))
  const known = groupByChain([...system, ...user.filter((row) => systemKeys.has(row.key))])
  return {
    system: (chainKey: string): readonly NamedProtocol[] => known.get(chainKey) ?? [],
    /** Excludes deployments of system protocols. */
    user: (chainKey: string): readonly NamedProtocol[] => own.get(chainKey) ?? [],
  }
}

type Page = { page: number; limit: number }

/** Page 1 starts with the operator's protocols, beyond the limit and the paging. */
export function listProtocols(lists: ProtocolLists, chainKey: string, { page, limit }: Page, icons: IconUrls) {
  const present =
    (isUserProtocol: boolean) =>
    ({ key, name }: NamedProtocol): ProtocolItem => ({
      uuid: uuidV5(PROTOCOL_NAMESPACE, key),
      key,
      name,
      ...icons.protocol(key),
      isUserProtocol,
    })
  const system = lists.system(chainKey)
  const from = (page - 1) * limit
  const user = page === 1 ? lists.user(chainKey) : []
  return {
    data: [...user.map(present(true)), ...system.slice(from, from + limit).map(present(false))],
    pagination: { page, limit, hasMore: from + limit < system.length },
  }
}

const collator = new Intl.Collator('en', { sensitivity: 'accent' })

function byName(a: { name: string; key: string }, b: { name: string; key: string }): number {
  return collator.compare(a.name, b.name) || (a.key < b.key ? -1 : Number(a.key > b.key))
}
