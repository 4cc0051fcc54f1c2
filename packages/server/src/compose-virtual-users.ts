import type { Reading } from './compose-reading.ts'
import type { Config } from './config/config.ts'
import { settingOf } from './config/config.ts'
import type { Database } from './db/database.ts'
import { createExchanges } from './exchanges/create-exchanges.ts'
import type { SecretVault } from './features/secrets/secret-vault.ts'
import { createPriceCoins } from './features/virtual-users/coin-prices.ts'
import { openCredentials } from './features/virtual-users/exchange-links.ts'
import { createReadBalances } from './features/virtual-users/read-balances.ts'
import { createReadExchange } from './features/virtual-users/read-exchange.ts'
import { createStablecoinPrices } from './features/virtual-users/stablecoin-prices.ts'
import { createVirtualPortfolios } from './features/virtual-users/virtual-portfolios.ts'
import { createVirtualReadStore } from './features/virtual-users/virtual-read-store.ts'
import type { ChainKinds } from './kinds/kind.ts'
import type { TokenCatalog } from './knowledge/token-catalog.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'
import { coinApisOf } from './prices/source-module.ts'
import { createPriceSymbol } from './prices/symbol-prices.ts'

/** Everything that turns balances kept by hand, and accounts at exchanges, into holdings. */
export function composeVirtualUsers({
  config,
  database: { db },
  vault,
  catalog,
  kinds,
  reading: { readings, rates, readTokens },
  clock,
  logger: log,
}: {
  config: Config
  database: Pick<Database, 'db'>
  vault: Pick<SecretVault, 'open'>
  catalog: TokenCatalog
  kinds: Pick<ChainKinds, 'priceSources'>
  reading: Reading
  clock: Clock
  logger: Logger
}) {
  const urls = [...config.exchangeUrls].map(([key, url]) => [key, url.reveal()] as const)
  const exchanges = createExchanges({ urls: new Map(urls), clock })
  const coins = coinApisOf(kinds.priceSources, config.prices.sources, settingOf(config.prices))
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
