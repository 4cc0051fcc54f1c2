import type { ReadTokens } from '../../chains/chain-reading.ts'
import type { Db } from '../../db/tables.ts'
import type { Exchanges } from '../../exchanges/exchange.ts'
import type { Clock } from '../../lib/clock.ts'
import type { WarnLog } from '../../lib/logger.ts'
import type { FxRates } from '../../prices/fx-rate.ts'
import type { PriceSymbol } from '../../prices/symbol-prices.ts'
import type { SecretVault } from '../secrets/secret-vault.ts'
import type { StablecoinPrices } from './coin-prices.ts'

export type VirtualUsers = {
  db: Db
  vault: Pick<SecretVault, 'open'>
  exchanges: Exchanges
  readTokens: ReadTokens
  priceSymbol: PriceSymbol
  rates: FxRates
  stablecoins: StablecoinPrices
  clock: Clock
  log: WarnLog
}
