import type { Chain } from '../../chains/chain.ts'
import { byKey } from '../../chains/chain-catalog.ts'
import type { Module, Ports } from '../module.ts'
import { createLatestRates } from './conversion-rates.ts'
import { createNav } from './nav.ts'
import { portfolioRoutes } from './portfolio-routes.ts'
import { createPortfolioViews, type FindFigures } from './portfolio-views.ts'
import { createPresentation } from './presentation.ts'
import type { FindSyncs } from './sync-status.ts'

export function openShowing({
  config: { chains },
  protocols,
  reading: { enabled, rates: known },
  iconUrls,
  clock,
  logger: log,
}: Pick<Ports, 'config' | 'protocols' | 'reading' | 'iconUrls' | 'clock' | 'logger'>) {
  const rates = createLatestRates({ usdPerEach: known.usdPerEach, clock, log })
  const presentation = (shown: readonly Chain[]) =>
    createPresentation({ chains: byKey(shown), rows: protocols, iconUrls, latestRates: rates.latest })
  return { rates, ofEnabled: presentation(enabled), ofAll: presentation(chains) }
}

export function portfolioModule({
  reading: { rates: known },
  portfolios,
  history: { figures, findProgress },
  showing: { rates, ofEnabled },
}: Pick<Ports, 'reading' | 'portfolios'> & {
  history: { figures: FindFigures; findProgress: FindSyncs }
  showing: ReturnType<typeof openShowing>
}) {
  const views = createPortfolioViews({ portfolios, presentation: ofEnabled, rates, figures })
  const nav = createNav({ portfolios, usdPer: async (currency) => (await known.usdPerUnit(currency))?.usd })
  return { handlers: portfolioRoutes({ portfolios, views, nav, findSyncs: findProgress }) } satisfies Module
}
