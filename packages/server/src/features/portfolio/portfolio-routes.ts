import type { portfolioEndpoints } from '@coffer/contract'
import type { Address } from '../../domain/address.ts'
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
}): Handlers<ReturnType<typeof portfolioEndpoints>> {
  const prepare = ({ query }: { query: { addresses: readonly Address[] } }) => portfolios.check(query.addresses)
  return {
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
    getNav: { prepare, handle: ({ query }) => nav(query) },
    getStatus: {
      prepare,
      handle: ({ query }) => getSyncStatus({ portfolios, findSyncs }, query.addresses),
    },
  }
}
