import type { virtualUserEndpoints } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import type { ChainTypeSettings } from '../../chains/settings.ts'
import { createExchanges } from '../../exchanges/create-exchanges.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Secret } from '../../lib/secret.ts'
import { coinApisOf } from '../../prices/source-module.ts'
import { createPriceSymbol } from '../../prices/symbol-prices.ts'
import type { Module, Ports } from '../module.ts'
import type { LatestRates } from '../portfolio/conversion-rates.ts'
import type { Presentation } from '../portfolio/present-portfolio.ts'
import type { ShownParts } from '../portfolio/presentation.ts'
import type { SecretVault } from '../secrets/secret-vault.ts'
import type { PricingSettings } from './balance-assets.ts'
import { createPriceCoins } from './coin-prices.ts'
import { openCredentials } from './exchange-links.ts'
import { createReadBalances, createReadExchange } from './sources.ts'
import { createStablecoinPrices } from './stablecoin-prices.ts'
import { createVirtualPortfolios, viewVirtualPortfolios } from './virtual-portfolios.ts'
import { createVirtualReadStore } from './virtual-read-store.ts'
import { portalVirtualUserRoutes } from './virtual-user-routes.ts'
import { listVirtualUsers, requireOwn, virtualAddress } from './virtual-users.ts'

type OwnPorts = Pick<Ports, 'database' | 'chainTypes' | 'reading' | 'clock' | 'logger'> & {
  config: { exchangeUrls: ReadonlyMap<string, Secret> }
  settings: Pick<ChainTypeSettings, 'prices'>
  vault: Pick<SecretVault, 'open'>
}

export function virtualUserModule({
  showing,
  ...ports
}: OwnPorts & {
  config: Pick<Ports['config'], 'chains'> & PricingSettings
  vault: SecretVault
  showing: { rates: LatestRates; ofAll(shown: ShownParts): Presentation }
}) {
  const { exchanges, portfolios } = openVirtualPortfolios(ports)
  const { config, vault, chainTypes, reading } = ports
  const { db } = ports.database
  const readsTokens = ({ family }: Chain) => reading.byType.get(family)?.readTokens !== undefined
  const assets = { chains: config.chains, chainTypes, readsTokens }
  const handlers: Handlers<typeof virtualUserEndpoints> = {
    async listVirtualUsers({ caller }) {
      const users = await listVirtualUsers(db, caller.accountId)
      return users.map(({ id, type, label }) => ({ address: virtualAddress(id), type, label }))
    },
    getVirtualUserPortfolio: {
      prepare: ({ query, caller }) => requireOwn(db, caller.accountId, query.addresses),
      handle: ({ query, origin }) => viewVirtualPortfolios({ portfolios, exchanges, showing }, query, origin),
    },
  }
  const portal = portalVirtualUserRoutes({ db, vault, exchanges, assets, config, rates: reading.rates })
  return { handlers, portal } satisfies Module
}

export function openVirtualPortfolios({
  config: { exchangeUrls },
  settings: { prices },
  database: { db },
  vault,
  chainTypes,
  reading: { readings, catalog, rates, readTokens },
  clock,
  logger: log,
}: OwnPorts) {
  const urls = [...exchangeUrls].map(([key, url]) => [key, url.reveal()] as const)
  const exchanges = createExchanges({ urls: new Map(urls), clock })
  const coins = coinApisOf(chainTypes.priceSources, prices.sources, prices.setting)
  const priced = readings.filter(({ readTokens: read }) => read).flatMap(({ chains }) => [...chains.keys()])
  const stablecoins = createStablecoinPrices({ chains: priced, catalog, readTokens, coins, clock, log })
  const portfolios = createVirtualPortfolios({
    db,
    store: createVirtualReadStore(db),
    readBalances: createReadBalances({ readTokens, priceSymbol: createPriceSymbol({ rates, coins }), clock }),
    readExchange: createReadExchange({
      exchanges,
      openCredentials: (link) => openCredentials({ db, vault }, link),
      priceCoins: createPriceCoins({ rates, stablecoins }),
    }),
    clock,
    log,
  })
  return { exchanges, portfolios }
}
