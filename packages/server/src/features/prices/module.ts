import type { Module, Ports } from '../module.ts'
import { createExplainPrices } from './explain-prices.ts'
import { portalPriceRoutes } from './portal-price-routes.ts'

export function priceModule({ kinds, reading, clock }: Pick<Ports, 'kinds' | 'reading' | 'clock'>) {
  return { portal: portalPriceRoutes({ explain: createExplainPrices({ kinds, reading, clock }) }) } satisfies Module
}
