import type { Module, Ports } from '../module.ts'
import { createExplainPrices } from './explain-prices.ts'
import { portalPriceRoutes } from './portal-price-routes.ts'

export function priceModule({ chainTypes, reading, clock }: Pick<Ports, 'chainTypes' | 'reading' | 'clock'>) {
  return {
    portal: portalPriceRoutes({ explain: createExplainPrices({ chainTypes, reading, clock }) }),
  } satisfies Module
}
