import type { portfolioEndpoints } from '@coffer/contract'
import type { Handlers } from '../../http/mount.ts'
import type { Nav } from './nav.ts'
import type { PortfolioViews } from './portfolio-views.ts'
import type { Portfolios } from './portfolios.ts'
import { type FindSyncs, getSyncStatus } from './sync-status.ts'

export function portfolioRoutes({
  portfolios,
  views,
  nav,
  findSyncs,
}: {
  portfolios: Portfolios
  views: PortfolioViews
  nav: Nav
  findSyncs: FindSyncs
}): Handlers<typeof portfolioEndpoints> {
  return {
    getPortfolio: {
      fresh: ({ query, origin, caller }) => views.freshPortfolios(caller.accountId, query, origin),
      handle: ({ query, origin, caller }) => views.portfolios(caller.accountId, query, origin),
    },
    getWallet: {
      fresh: ({ query, caller }) => views.freshWallets(caller.accountId, query),
      handle: ({ query, caller }) => views.wallets(caller.accountId, query),
    },
    getNav: ({ query }) => nav(query),
    getStatus: ({ query }) => getSyncStatus({ portfolios, findSyncs }, query.addresses),
  }
}
