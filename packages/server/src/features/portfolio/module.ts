import type { Address } from '../../domain/address.ts'
import type { Module, Ports } from '../module.ts'
import { createLatestRates } from './conversion-rates.ts'
import { getNav } from './nav.ts'
import { createPortfolioViews, type FindFigures, type Showing } from './portfolio-views.ts'
import { createPresentation } from './presentation.ts'
import { type FindSyncs, getSyncStatus } from './sync-status.ts'

export function openShowing({ config, protocols, reading, iconUrls, clock, logger }: Ports) {
  const rates = createLatestRates(reading.rates.usdPerEach, clock, logger)
  const ofEnabled = createPresentation(reading.enabled, protocols, iconUrls, rates.latest)
  const ofAll = createPresentation(config.chains, protocols, iconUrls, rates.latest)
  return { rates, ofEnabled, ofAll }
}

export function portfolioModule({
  reading,
  portfolios,
  history,
  showing,
}: Ports & { history: { figures: FindFigures; findProgress: FindSyncs }; showing: Showing }) {
  const views = createPortfolioViews(portfolios, history.figures, showing)
  const prepare = ({ query }: { query: { addresses: readonly Address[] } }) => portfolios.check(query.addresses)
  return {
    handlers: {
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
    },
  } satisfies Module
}
