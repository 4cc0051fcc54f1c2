import type { portfolioEndpoints } from '@coffer/contract'
import type { Handlers } from '../../http/mount.ts'
import type { Nav } from './nav.ts'
import type { PortfolioViews } from './portfolio-views.ts'
import type { Portfolios } from './portfolios.ts'
import { getSyncStatus } from './sync-status.ts'

export function portfolioRoutes({
  portfolios,
  views,
  nav,
}: {
  portfolios: Portfolios
  views: PortfolioViews
  nav: Nav
}): Handlers<typeof portfolioEndpoints> {
  return {
    getPortfolio: {
      fresh: ({ query, origin }) => views.freshPortfolios(query, origin),
      handle: ({ query, origin }) => views.portfolios(query, origin),
    },
    getWallet: {
      fresh: ({ query }) => views.freshWallets(query),
      handle: ({ query }) => views.wallets(query),
    },
    getNav: ({ query }) => nav(query),
    getStatus: ({ query }) => getSyncStatus(portfolios, query.addresses),
  }
}
