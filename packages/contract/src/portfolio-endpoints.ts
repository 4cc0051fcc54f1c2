import { z } from 'zod'
import type { Addresses } from './address.ts'
import { completeness, defineEndpoints } from './endpoint.ts'
import { NAV_CURRENCIES, nav, portfolio, syncStatus, walletView } from './portfolio.ts'
import { choiceQuery, includeExplorerUrls, includeFlatAssets, includeImages, waitForSync } from './query.ts'

const PORTFOLIO_ADDRESSES_MAX = 10
const STATUS_ADDRESSES_MAX = 100

const holdings = {
  method: 'GET',
  tag: 'Portfolio',
  status: 200,
  cost: 1,
  bucket: 'portfolio',
  requires: 'portfolio',
  errors: 'titled',
  failures: [502],
} as const

export function portfolioEndpoints(addresses: Addresses) {
  const wallets = (max: number) =>
    addresses.list({ ...addresses.wallets, max }).describe(addresses.describe(addresses.wallets, max))
  return defineEndpoints({
    getPortfolio: {
      ...holdings,
      path: '/v1/portfolio',
      summary: 'Get portfolios',
      description:
        'Returns the holdings of wallets, direct and in protocols, in request order. All figures of a chain are from the block in `asOf`; `incomplete` lists missing and stale parts. A new wallet is read before the answer, for up to 30 seconds. Otherwise the answer is the last read. If it is older than a minute, the service refreshes it in the background.',
      query: z.object({
        addresses: wallets(PORTFOLIO_ADDRESSES_MAX),
        includeImages,
        includeExplorerUrls,
        includeFlatAssets,
        waitForSync,
      }),
      varyingHeaders: completeness,
      response: z.array(portfolio),
    },
    getWallet: {
      ...holdings,
      path: '/v1/wallet',
      summary: 'Get wallet holdings',
      description:
        'Returns the direct holdings of wallets, in request order. Receipt tokens of positions appear as tokens. The answer is as fresh as the portfolio.',
      query: z.object({
        addresses: wallets(PORTFOLIO_ADDRESSES_MAX),
        includeImages,
        includeExplorerUrls,
        waitForSync,
      }),
      varyingHeaders: completeness,
      response: z.array(walletView),
    },
    getNav: {
      ...holdings,
      path: '/v1/nav',
      summary: 'Get net asset value',
      description: 'Returns the total value of wallets in a currency.',
      query: z.object({
        addresses: wallets(PORTFOLIO_ADDRESSES_MAX),
        waitForSync,
        currency: choiceQuery(NAV_CURRENCIES).default('USD').describe('Currency of the sum, in upper or lower case.'),
      }),
      varyingHeaders: completeness,
      response: nav,
    },
    getStatus: {
      ...holdings,
      path: '/v1/status',
      summary: 'Get sync status',
      description:
        'Returns when wallets were last read, and the state of their transaction syncs by chain, with failures and the next step.',
      cost: 0,
      bucket: 'default',
      requires: 'key',
      failures: [],
      query: z.object({ addresses: wallets(STATUS_ADDRESSES_MAX) }),
      response: z.array(syncStatus),
    },
  })
}
