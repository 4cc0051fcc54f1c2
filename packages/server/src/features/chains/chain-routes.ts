import { type chainEndpoints, Failure } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import { findChain } from '../../chains/chain-catalog.ts'
import type { Handlers } from '../../http/mount.ts'
import type { IconUrls } from '../icons/icon-urls.ts'
import { type ChainSupport, listChains, listProtocols, type ProtocolLists } from './chain-list.ts'

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
