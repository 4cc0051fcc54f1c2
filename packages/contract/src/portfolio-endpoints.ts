import { z } from 'zod'
import { addressList } from './address.ts'
import { defineEndpoints } from './endpoint.ts'
import { NAV_CURRENCIES, nav, portfolio, syncStatus, walletView } from './portfolio.ts'
import { booleanQuery, choiceQuery } from './query.ts'

const PORTFOLIO_ADDRESSES_MAX = 10
const STATUS_ADDRESSES_MAX = 100

const wallets = (max: number) => addressList({ accepts: ['evm', 'solana'], max })

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

export const portfolioEndpoints = defineEndpoints({
  getPortfolio: {
    ...holdings,
    path: '/v1/portfolio',
    summary: 'What wallets hold, directly and in protocols',
    query: z.object({
      addresses: wallets(PORTFOLIO_ADDRESSES_MAX),
      includeImages: booleanQuery(false),
      includeExplorerUrls: booleanQuery(false),
      includeFlatAssets: booleanQuery(true),
      waitForSync: booleanQuery(false),
    }),
    response: z.array(portfolio),
  },
  getWallet: {
    ...holdings,
    path: '/v1/wallet',
    summary: 'What wallets hold directly',
    query: z.object({
      addresses: wallets(PORTFOLIO_ADDRESSES_MAX),
      includeImages: booleanQuery(false),
      includeExplorerUrls: booleanQuery(false),
      waitForSync: booleanQuery(false),
    }),
    response: z.array(walletView),
  },
  getNav: {
    ...holdings,
    path: '/v1/nav',
    summary: 'Net asset value of wallets together, in a currency',
    query: z.object({
      addresses: wallets(PORTFOLIO_ADDRESSES_MAX),
      waitForSync: booleanQuery(false),
      currency: choiceQuery(NAV_CURRENCIES).default('USD'),
    }),
    response: nav,
  },
  getStatus: {
    ...holdings,
    path: '/v1/status',
    summary: 'When wallets were last read',
    cost: 0,
    bucket: 'default',
    requires: 'key',
    failures: [],
    query: z.object({ addresses: wallets(STATUS_ADDRESSES_MAX) }),
    response: z.array(syncStatus),
  },
})
