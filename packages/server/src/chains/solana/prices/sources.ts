import { type PriceSourceModule, receiptSource } from '../../../prices/source-module.ts'
import { coingeckoSource } from '../../../prices/sources/coingecko-prices.ts'
import { defillamaSource } from '../../../prices/sources/defillama-prices.ts'
import { overrideSource } from '../../../prices/sources/override-prices.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'
import { jupiterSource } from './jupiter-prices.ts'
import { pythSource } from './pyth-prices.ts'
import { poolSource } from './solana-pool-prices.ts'

/** In the default order. */
export const solanaPriceSources: readonly PriceSourceModule<SolanaReader>[] = [
  overrideSource,
  receiptSource,
  pythSource,
  poolSource,
  defillamaSource,
  coingeckoSource,
  jupiterSource,
]
