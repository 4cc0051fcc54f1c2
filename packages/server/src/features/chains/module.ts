import type { ProtocolRow } from '../../chains/protocol-row.ts'
import type { Module, Ports } from '../module.ts'
import { createProtocolLists } from './chain-list.ts'
import { chainHandlers } from './chain-routes.ts'

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
