import { type ChainItem, type chainEndpoints, Failure, type ProtocolItem } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import { findChain } from '../../chains/chain-catalog.ts'
import type { ProtocolRow } from '../../chains/protocol-row.ts'
import { firstByKey, type NamedProtocol } from '../../domain/named-protocol.ts'
import type { Handlers } from '../../http/mount.ts'
import { uuidV5 } from '../../lib/uuid.ts'
import type { IconUrls, OriginIconUrls } from '../icons/icons.ts'
import type { Module, Ports } from '../module.ts'

type OwnPorts = Ports & { config: { endpoints: { has(chain: string): boolean }; protocols: readonly ProtocolRow[] } }

export function chainModule({ config, chainTypes, reading, iconUrls }: OwnPorts) {
  const { chains, endpoints } = config
  const support = {
    readsPortfolio: (chain: string) => endpoints.has(chain),
    readsTransactions: (chain: string) => reading.readingOf(chain)?.history !== undefined,
  }
  const protocols = protocolLists({ system: chainTypes.protocols, user: config.protocols })
  return { handlers: chainHandlers({ chains, support, protocols, iconUrls }) } satisfies Module
}

type Shown = {
  chains: readonly Chain[]
  support: ChainSupport
  protocols: ProtocolLists
  iconUrls: OriginIconUrls
}

export function chainHandlers({ chains, support, protocols, iconUrls }: Shown): Handlers<typeof chainEndpoints> {
  function getChain(key: string): Chain {
    const chain = findChain(key, chains)
    if (!chain) throw new Failure('NOT_FOUND', 'Unknown chain key')
    return chain
  }

  return {
    listChains: ({ origin }) => listChains(chains, support, iconUrls(origin)),
    listProtocols: {
      prepare: ({ params }) => void getChain(params.chainKey),
      handle: ({ params, query, origin }) =>
        listProtocols(protocols, getChain(params.chainKey).key, query, iconUrls(origin)),
    },
  }
}

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

/** By chain. `user` excludes deployments of system protocols. */
type ProtocolLists = Record<'system' | 'user', ReadonlyMap<string, readonly NamedProtocol[]>>

function groupByChain(rows: readonly NamedProtocol[]): Map<string, NamedProtocol[]> {
  const byChain = Map.groupBy(rows, (row) => row.chain)
  return new Map([...byChain].map(([chain, ofChain]) => [chain, [...firstByKey(ofChain).values()].sort(byName)]))
}

/** `system`: shipped; `user`: configured. The first deployment of a key names the protocol. */
export function protocolLists({ system, user }: Record<'system' | 'user', readonly NamedProtocol[]>): ProtocolLists {
  const keys = new Set(system.map(({ key }) => key))
  const { known = [], own = [] } = Object.groupBy(user, ({ key }) => (keys.has(key) ? 'known' : 'own'))
  return { system: groupByChain([...system, ...known]), user: groupByChain(own) }
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
  const system = lists.system.get(chainKey) ?? []
  const from = (page - 1) * limit
  const user = page === 1 ? (lists.user.get(chainKey) ?? []) : []
  return {
    data: [...user.map(present(true)), ...system.slice(from, from + limit).map(present(false))],
    pagination: { page, limit, hasMore: from + limit < system.length },
  }
}

const collator = new Intl.Collator('en', { sensitivity: 'accent' })

function byName(a: { name: string; key: string }, b: { name: string; key: string }): number {
  return collator.compare(a.name, b.name) || (a.key < b.key ? -1 : Number(a.key > b.key))
}
