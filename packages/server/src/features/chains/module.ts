import type { Chain } from '../../kinds/chain.ts'
import type { ChainKinds } from '../../kinds/kind.ts'
import type { ProtocolRow } from '../../kinds/protocol-row.ts'
import type { OriginIconUrls } from '../icons/icon-urls.ts'
import type { Module } from '../module.ts'
import { chainHandlers } from './chain-routes.ts'
import { createProtocolLists } from './protocol-list.ts'

type Settings = {
  chains: readonly Chain[]
  endpoints: { has(chain: string): boolean }
  protocols: readonly ProtocolRow[]
}

/** The chains that are known, and the protocols on them. */
export function chainModule({
  config: { chains, endpoints, protocols },
  kinds,
  iconUrls,
}: {
  config: Settings
  kinds: Pick<ChainKinds, 'protocols'>
  iconUrls: OriginIconUrls
}) {
  const isEnabled = (chain: string) => endpoints.has(chain)
  return {
    handlers: chainHandlers({
      chains,
      support: { readsPortfolio: isEnabled, readsTransactions: isEnabled },
      protocols: createProtocolLists({ system: kinds.protocols, user: protocols }),
      iconUrls,
    }),
  } satisfies Module
}
