import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { PriceSourceModule, SourceContext } from '../../../prices/source-module.ts'
import { coingeckoSource } from '../../../prices/sources/coingecko-prices.ts'
import { defillamaSource } from '../../../prices/sources/defillama-prices.ts'
import { overrideSource } from '../../../prices/sources/override-prices.ts'
import { receiptSource } from '../../../prices/sources/receipt.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import { aaveSource } from './aave-prices.ts'
import { chainlinkSource, type FeedRow } from './chainlink-prices.ts'
import { hyperCoreSource } from './hypercore-prices.ts'
import { type ChainPoolFactory, uniswapSource } from './uniswap-prices.ts'

/** What sources of the EVM are created with. */
export type EvmSourceContext = SourceContext & {
  /** Feeds of the operator. */
  feeds: readonly FeedRow[]
  /** Every factory of the protocols that are read whose pools may price tokens. */
  factories: readonly ChainPoolFactory[]
  /** What the Aave markets of a chain list. */
  aaveAssets(chain: string): ReadonlySet<EvmAddress>
}

/** Sources of prices of the EVM's tokens, in the order in which they are asked unless the operator names another. */
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
