import { type chainEndpoints, Failure } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import { findChain } from '../../chains/chain-catalog.ts'
import type { ProtocolRow } from '../../chains/protocol-row.ts'
import type { Handlers } from '../../http/mount.ts'
import type { IconUrls } from '../icons/icons.ts'
import type { Module, Ports } from '../module.ts'
import { type ChainSupport, createProtocolLists, listChains, listProtocols, type ProtocolLists } from './chain-list.ts'

type Settings = { endpoints: { has(chain: string): boolean }; protocols: readonly ProtocolRow[] }

export function chainModule({
  config: { chains, endpoints, protocols },
  chainTypes,
  reading,
  iconUrls,
}: Pick<Ports, 'config' | 'chainTypes' | 'reading' | 'iconUrls'> & { config: Settings }) {
  return {
    handlers: chainHandlers({
      chains,
      support: {
        readsPortfolio: (chain) => endpoints.has(chain),
        readsTransactions: (chain) => reading.readingOf(chain)?.history !== undefined,
      },
      protocols: createProtocolLists({ system: chainTypes.protocols, user: protocols }),
      iconUrls,
    }),
  } satisfies Module
}

export function chainHandlers({
  chains,
  support,
  protocols,
  iconUrls,
}: {
  chains: readonly Chain[]
  support: ChainSupport
  protocols: ProtocolLists
  iconUrls(origin: string): IconUrls
}): Handlers<typeof chainEndpoints> {
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
