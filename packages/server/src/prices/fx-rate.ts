import type { Decimal } from '../domain/decimal.ts'

/** `source`: `unit` (USD itself), `peg`, `chainlink` or an API. */
export type FxRate = { usd: Decimal; source: string }

export type FxRates = {
  /** Never rejects for a source's failure. */
  usdPerUnit(currency: string): Promise<FxRate | undefined>
}

export type FxApi = { name: string; usdPerUnit(currency: string): Promise<Decimal | undefined> }
