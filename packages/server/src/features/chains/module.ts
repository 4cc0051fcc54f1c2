import type { Chain } from '../../kinds/chain.ts'
import type { ChainKinds } from '../../kinds/kind.ts'
import type { ProtocolRow } from '../../kinds/protocol-row.ts'
import type { Reading } from '../../reading/open-reading.ts'
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
  reading,
  iconUrls,
}: {
  config: Settings
  kinds: Pick<ChainKinds, 'protocols'>
  reading: Pick<Reading, 'readingOf'>
  iconUrls: OriginIconUrls
}) {
  return {
    handlers: chainHandlers({
      chains,
      support: {
        readsPortfolio: (chain) => endpoints.has(chain),
        readsTransactions: (chain) => reading.readingOf(chain)?.history !== undefined,
      },
      protocols: createProtocolLists({ system: kinds.protocols, user: protocols }),
      iconUrls,
    }),
  } satisfies Module
}
