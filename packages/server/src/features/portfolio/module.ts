import type { portfolioEndpoints } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import type { Address } from '../../domain/address.ts'
import type { NamedProtocol } from '../../domain/named-protocol.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { FxRates } from '../../prices/fx-rate.ts'
import type { OriginIconUrls } from '../icons/icons.ts'
import { createLatestRates, type UsdPerEach } from './conversion-rates.ts'
import { getNav } from './nav.ts'
import { createPortfolioViews, type FindFigures, type Showing } from './portfolio-views.ts'
import { type FindSyncs, getSyncStatus, type Portfolios } from './portfolios.ts'
import { createPresentation } from './present-portfolio.ts'

type ShowingPorts = {
  config: { chains: readonly Chain[] }
  protocols: readonly NamedProtocol[]
  reading: { enabled: readonly Chain[]; rates: { usdPerEach: UsdPerEach } }
  iconUrls: OriginIconUrls
  clock: Clock
  logger: Logger
}

export function composeShowing({ config, protocols, reading, iconUrls, clock, logger }: ShowingPorts) {
  const rates = createLatestRates(reading.rates.usdPerEach, clock, logger)
  const ofEnabled = createPresentation(reading.enabled, protocols, iconUrls, rates.latest)
  const ofAll = createPresentation(config.chains, protocols, iconUrls, rates.latest)
  return { rates, ofEnabled, ofAll }
}

type OwnPorts = {
  reading: { rates: FxRates }
  portfolios: Portfolios
  history: { figures: FindFigures; findProgress: FindSyncs }
  showing: Showing
}

export function portfolioModule({ reading, portfolios, history, showing }: OwnPorts) {
  const views = createPortfolioViews(portfolios, history.figures, showing)
  const prepare = ({ query }: { query: { addresses: readonly Address[] } }) => portfolios.check(query.addresses)
  const handlers: Handlers<ReturnType<typeof portfolioEndpoints>> = {
    getPortfolio: {
      prepare,
      fresh: ({ query, origin, caller }) => views.portfolios.fresh(caller.accountId, query, origin),
      handle: ({ query, origin, caller }) => views.portfolios.lookUp(caller.accountId, query, origin),
    },
    getWallet: {
      prepare,
      fresh: ({ query, origin, caller }) => views.wallets.fresh(caller.accountId, query, origin),
      handle: ({ query, origin, caller }) => views.wallets.lookUp(caller.accountId, query, origin),
    },
    getNav: { prepare, handle: ({ query }) => getNav(portfolios, reading.rates, query) },
    getStatus: { prepare, handle: ({ query }) => getSyncStatus(portfolios, history.findProgress, query.addresses) },
  }
  return { handlers }
}
