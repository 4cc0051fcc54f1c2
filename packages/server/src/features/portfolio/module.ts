import type { NamedProtocol } from '../../domain/named-protocol.ts'
import type { Chain } from '../../kinds/chain.ts'
import { byKey } from '../../kinds/chain-catalog.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Reading } from '../../reading/open-reading.ts'
import type { OriginIconUrls } from '../icons/icon-urls.ts'
import { createLatestRates } from './coin-rates.ts'
import { createNav } from './nav.ts'
import { portfolioRoutes } from './portfolio-routes.ts'
import { createPortfolioViews } from './portfolio-views.ts'
import type { Portfolios } from './portfolios.ts'
import { createPresentation } from './presentation.ts'
import type { FindSyncs } from './sync-status.ts'

/** What wallets hold now. */
export function portfolioModule({
  config: { chains },
  protocols,
  reading: { enabled, rates: known },
  portfolios,
  figures,
  findSyncs,
  iconUrls,
  clock,
  logger: log,
}: {
  config: { chains: readonly Chain[] }
  protocols: readonly NamedProtocol[]
  reading: Pick<Reading, 'enabled' | 'rates'>
  portfolios: Portfolios
  figures: Parameters<typeof createPortfolioViews>[0]['figures']
  findSyncs: FindSyncs
  iconUrls: OriginIconUrls
  clock: Clock
  logger: Logger
}) {
  const rates = createLatestRates({ usdPerEach: known.usdPerEach, clock, log })
  const presentation = (shown: readonly Chain[]) =>
    createPresentation({ chains: byKey(shown), rows: protocols, iconUrls, latestRates: rates.latest })
  const views = createPortfolioViews({ portfolios, presentation: presentation(enabled), rates, figures })
  const nav = createNav({ portfolios, usdPer: async (currency) => (await known.usdPerUnit(currency))?.usd })
  return {
    handlers: portfolioRoutes({ portfolios, views, nav, findSyncs }),
    rates,
    /** Also of chains that are not read here. */
    presentation: presentation(chains),
  }
}
