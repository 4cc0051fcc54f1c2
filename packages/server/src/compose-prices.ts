import type { Config, PriceSourceName } from './config/config.ts'
import type { EvmAddress } from './domain/evm-address.ts'
import { createAavePrices } from './kinds/evm/prices/aave-prices.ts'
import { createChainlinkPrices } from './kinds/evm/prices/chainlink-prices.ts'
import { PUBLISHED_AAVE_ORACLES } from './kinds/evm/prices/published-aave-oracles.ts'
import { PUBLISHED_FEEDS } from './kinds/evm/prices/published-feeds.ts'
import { PUBLISHED_QUOTE_TOKENS } from './kinds/evm/prices/published-quote-tokens.ts'
import { type ChainPoolFactory, createUniswapPrices } from './kinds/evm/prices/uniswap-prices.ts'
import type { EvmReader } from './kinds/evm/reader/evm-reader.ts'
import type { Logger } from './lib/logger.ts'
import type { FxApi } from './prices/fx-rate.ts'
import { createPriceGraph, type PriceGraph, RECEIPT } from './prices/price-graph.ts'
import type { PriceSource } from './prices/price-source.ts'
import {
  type CoingeckoOptions,
  coingeckoCoin,
  coingeckoRate,
  createCoingeckoPrices,
} from './prices/sources/coingecko-prices.ts'
import { createDefillamaPrices, defillamaCoin, defillamaRate } from './prices/sources/defillama-prices.ts'
import { createOverridePrices } from './prices/sources/override-prices.ts'
import type { CoinApi } from './prices/symbol-prices.ts'

/** What tells prices of past days without the chain's state of then. */
export const NEED_NO_STATE: readonly PriceSourceName[] = ['override', 'defillama', 'coingecko']

/**
 * The price graph of EVM chains in the operator's order of sources, and one of those alone that need no state of the chain. `aaveAssets`:
 * what the Aave markets of a chain list.
 */
export function composePrices({
  config,
  factories,
  aaveAssets,
  log,
}: {
  config: Config['prices']
  /** Every protocol whose pools may price tokens. */
  factories: readonly ChainPoolFactory[]
  aaveAssets(chain: string): ReadonlySet<EvmAddress>
  log: Logger
}): { prices: PriceGraph<EvmReader>; datedPrices: PriceGraph<EvmReader> } {
  const configuredFeeds = config.feeds.map(({ chain, token, ...leg }) => ({ chain, token, path: [leg] }))
  const make: Partial<Record<PriceSourceName, () => PriceSource<EvmReader> | typeof RECEIPT>> = {
    override: () => createOverridePrices(config.overrides),
    receipt: () => RECEIPT,
    aave: () => createAavePrices({ oracles: PUBLISHED_AAVE_ORACLES, assets: aaveAssets }),
    // Later rows take the place of earlier ones: the operator's feeds are last.
    chainlink: () => createChainlinkPrices([...PUBLISHED_FEEDS, ...configuredFeeds]),
    uniswap: () => createUniswapPrices({ factories, quoteTokens: PUBLISHED_QUOTE_TOKENS }),
    defillama: () => createDefillamaPrices({ baseUrl: config.defillamaUrl.reveal() }),
    coingecko: () => createCoingeckoPrices(coingecko(config)),
  }
  const graphOf = (names: readonly PriceSourceName[]) =>
    createPriceGraph({ sources: names.flatMap((name) => make[name]?.() ?? []), log })
  return {
    prices: graphOf(config.sources),
    datedPrices: graphOf(config.sources.filter((name) => NEED_NO_STATE.includes(name))),
  }
}

/** The data APIs among the operator's sources, for exchange rates. */
export function composeFxApis(config: Config['prices']): FxApi[] {
  const make: Partial<Record<PriceSourceName, FxApi>> = {
    defillama: {
      name: 'defillama',
      usdPerUnit: (currency) => defillamaRate({ baseUrl: config.defillamaUrl.reveal() }, currency),
    },
    coingecko: { name: 'coingecko', usdPerUnit: (currency) => coingeckoRate(coingecko(config), currency) },
  }
  return config.sources.flatMap((name) => make[name] ?? [])
}

/** The data APIs among the operator's sources, for coins by their names there. */
export function composeCoinApis(config: Config['prices']): CoinApi[] {
  const make: Partial<Record<PriceSourceName, CoinApi>> = {
    defillama: {
      name: 'defillama',
      usdPerCoin: (id) => defillamaCoin({ baseUrl: config.defillamaUrl.reveal() }, id),
    },
    coingecko: { name: 'coingecko', usdPerCoin: (id) => coingeckoCoin(coingecko(config), id) },
  }
  return config.sources.flatMap((name) => make[name] ?? [])
}

function coingecko({ coingeckoUrl, coingeckoKey }: Config['prices']): CoingeckoOptions {
  return { baseUrl: coingeckoUrl.reveal(), ...(coingeckoKey && { apiKey: coingeckoKey.reveal() }) }
}
