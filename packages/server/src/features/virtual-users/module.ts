import type { Chain } from '../../chains/chain.ts'
import type { ChainTypeSettings } from '../../chains/settings.ts'
import { createExchanges } from '../../exchanges/create-exchanges.ts'
import type { Secret } from '../../lib/secret.ts'
import { coinApisOf } from '../../prices/source-module.ts'
import { createPriceSymbol } from '../../prices/symbol-prices.ts'
import type { Module, Ports } from '../module.ts'
import type { SecretVault } from '../secrets/secret-vault.ts'
import type { PricingSettings } from './balances.ts'
import { createStablecoinPrices } from './coin-prices.ts'
import type { VirtualUsers } from './context.ts'
import { createVirtualPortfolios, type Showing, viewVirtualPortfolios } from './virtual-portfolios.ts'
import { portalVirtualUserRoutes } from './virtual-user-routes.ts'
import { listVirtualUsers, requireOwn, virtualAddress } from './virtual-users.ts'

type OwnPorts = Pick<Ports, 'database' | 'chainTypes' | 'reading' | 'clock' | 'logger'> & {
  config: { exchangeUrls: ReadonlyMap<string, Secret> }
  settings: ChainTypeSettings
  vault: VirtualUsers['vault']
}

export function virtualUserModule({
  showing,
  ...ports
}: OwnPorts & { config: Ports['config'] & PricingSettings; vault: SecretVault; showing: Showing }) {
  const { config, vault, chainTypes, reading } = ports
  const context = openVirtualUsers(ports)
  const { db } = context
  const portfolios = createVirtualPortfolios(context)
  const readsTokens = ({ family }: Chain) => reading.byType.get(family)?.readTokens !== undefined
  const assets = { chains: config.chains, chainTypes, readsTokens }
  return {
    handlers: {
      async listVirtualUsers({ caller }) {
        const users = await listVirtualUsers(db, caller.accountId)
        return users.map(({ id, type, label }) => ({ address: virtualAddress(id), type, label }))
      },
      getVirtualUserPortfolio: {
        prepare: ({ query, caller }) => requireOwn(db, caller.accountId, query.addresses),
        handle: ({ query, origin }) => viewVirtualPortfolios({ ...context, portfolios, showing }, query, origin),
      },
    },
    portal: portalVirtualUserRoutes({ ...context, vault, assets, config }),
  } satisfies Module
}

export function openVirtualUsers(ports: OwnPorts): VirtualUsers {
  const { config, settings, database, vault, chainTypes, reading, clock, logger: log } = ports
  const { readings, catalog, rates, readTokens } = reading
  const urls = new Map([...config.exchangeUrls].map(([key, url]) => [key, url.reveal()]))
  const { sources, setting } = settings.prices
  const coins = coinApisOf(chainTypes.priceSources, sources, setting)
  const chains = readings.filter(({ readTokens: read }) => read).flatMap((each) => [...each.chains.keys()])
  return {
    db: database.db,
    vault,
    exchanges: createExchanges({ urls, clock }),
    readTokens,
    priceSymbol: createPriceSymbol({ rates, coins }),
    rates,
    stablecoins: createStablecoinPrices({ chains, catalog, readTokens, coins, clock, log }),
    clock,
    log,
  }
}
