import type { priceEndpoints } from '@coffer/contract/portal'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import type { ExplainPrices } from './explain-prices.ts'

export function portalPriceRoutes({
  explain,
}: {
  explain: ExplainPrices
}): Handlers<typeof priceEndpoints, PortalCaller> {
  return { explainPrice: ({ query }) => explain(query) }
}
