import { type chainEndpoints, Failure } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import { findChain } from '../../chains/chain-catalog.ts'
import type { ProtocolRow } from '../../chains/protocol-row.ts'
import type { Handlers } from '../../http/mount.ts'
import type { OriginIconUrls } from '../icons/icons.ts'
import type { Module, Ports } from '../module.ts'
import { type ChainSupport, createProtocolLists, listChains, listProtocols, type ProtocolLists } from './chain-list.ts'

type Context = {
  chains: readonly Chain[]
  support: ChainSupport
  protocols: ProtocolLists
  iconUrls: OriginIconUrls
}

export function chainModule({
  config: { chains, endpoints, protocols },
  chainTypes,
  reading,
  iconUrls,
}: Ports & {
  config: Ports['config'] & { endpoints: { has(chain: string): boolean }; protocols: readonly ProtocolRow[] }
}) {
  const support = {
    readsPortfolio: (chain: string) => endpoints.has(chain),
    readsTransactions: (chain: string) => reading.readingOf(chain)?.history !== undefined,
  }
  const lists = createProtocolLists({ system: chainTypes.protocols, user: protocols })
  return { handlers: chainHandlers({ chains, support, protocols: lists, iconUrls }) } satisfies Module
}

export function chainHandlers(context: Context): Handlers<typeof chainEndpoints> {
  const { chains, support, protocols, iconUrls } = context

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
