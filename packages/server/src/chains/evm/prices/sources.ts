import type { EvmAddress } from '../../../domain/evm-address.ts'
import { type PriceSourceModule, receiptSource, type SourceContext } from '../../../prices/source-module.ts'
import { coingeckoSource } from '../../../prices/sources/coingecko-prices.ts'
import { defillamaSource } from '../../../prices/sources/defillama-prices.ts'
import { overrideSource } from '../../../prices/sources/override-prices.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import { aaveSource } from './aave-prices.ts'
import type { FeedRow } from './chainlink-feed.ts'
import { chainlinkSource } from './chainlink-prices.ts'
import { hyperCoreSource } from './hypercore-prices.ts'
import { type ChainPoolFactory, uniswapSource } from './uniswap-prices.ts'

export type EvmSourceContext = SourceContext & {
  feeds: readonly FeedRow[]
  factories: readonly ChainPoolFactory[]
  aaveAssets(chain: string): ReadonlySet<EvmAddress>
}

/** Default order. */
export const evmPriceSources: readonly PriceSourceModule<EvmReader, EvmSourceContext>[] = [
  overrideSource,
  receiptSource,
  aaveSource,
  chainlinkSource,
  hyperCoreSource,
  uniswapSource,
  defillamaSource,
  coingeckoSource,
]
