import type { portfolioEndpoints } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import { byKey } from '../../chains/chain-catalog.ts'
import type { Address } from '../../domain/address.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Module, Ports } from '../module.ts'
import { createLatestRates } from './conversion-rates.ts'
import { createNav } from './nav.ts'
import { createPortfolioViews, type FindFigures } from './portfolio-views.ts'
import { createPresentation } from './presentation.ts'
import { type FindSyncs, getSyncStatus } from './sync-status.ts'

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
    getNav: { prepare, handle: ({ query }) => nav(query) },
    getStatus: {
      prepare,
      handle: ({ query }) => getSyncStatus({ portfolios, findSyncs: findProgress }, query.addresses),
    },
  }
  return { handlers } satisfies Module
}
