import type { priceEndpoints } from '@coffer/contract/portal'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Module, Ports } from '../module.ts'
import { createExplainPrices, type ExplainPrices } from './explain-prices.ts'

export function priceModule({ chainTypes, reading, clock }: Pick<Ports, 'chainTypes' | 'reading' | 'clock'>) {
  return {
    portal: portalPriceRoutes({ explain: createExplainPrices({ chainTypes, reading, clock }) }),
  } satisfies Module
}

function portalPriceRoutes({ explain }: { explain: ExplainPrices }): Handlers<typeof priceEndpoints, PortalCaller> {
  return { explainPrice: ({ query }) => explain(query) }
}
