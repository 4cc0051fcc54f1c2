import type { Decimal } from '../domain/decimal.ts'

/** USD for one unit of a currency, and its source: `unit` (USD itself), `peg`, `chainlink`, or the name of an API. */
export type FxRate = { usd: Decimal; source: string }

export type FxRates = {
  /** `undefined` when no source knows the currency, or none can be reached. Never rejects for a source's failure. */
  usdPerUnit(currency: string): Promise<FxRate | undefined>
}

/** An API that may know what a currency is worth in USD. */
export type FxApi = { name: string; usdPerUnit(currency: string): Promise<Decimal | undefined> }
