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
        'What wallets hold, directly and in protocols, in request order. Each figure of a chain is from the one block that `asOf` names; `incomplete` names what is missing or old. A wallet never seen is read before the answer, for up to 30 seconds. Otherwise the last read is answered, and renewed behind when it is older than a minute.',
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
        'What wallets hold directly, in request order. Tokens that stand for a position appear as the tokens they are. As fresh as the portfolio.',
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
      description: 'What wallets are worth together, in a currency.',
      query: z.object({
        addresses: wallets(PORTFOLIO_ADDRESSES_MAX),
        waitForSync,
        currency: choiceQuery(NAV_CURRENCIES).default('USD').describe('What the sum is told in, in any case.'),
      }),
      varyingHeaders: completeness,
      response: nav,
    },
    getStatus: {
      ...holdings,
      path: '/v1/status',
      summary: 'Get sync status',
      description:
        'When wallets were last read, and how far the search for their transactions has come: by chain, with what failed and what to do.',
      cost: 0,
      bucket: 'default',
      requires: 'key',
      failures: [],
      query: z.object({ addresses: wallets(STATUS_ADDRESSES_MAX) }),
      response: z.array(syncStatus),
    },
  })
}
