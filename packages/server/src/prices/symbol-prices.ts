import { type Decimal, decimal } from '../domain/decimal.ts'
import { UpstreamError } from '../lib/upstream-error.ts'
import type { FxRate, FxRates } from './fx-rate.ts'

export type CoinApi = { name: string; usdPerCoin(id: string): Promise<Decimal | undefined> }

type CoinApiName = 'coingecko' | 'defillama'

export type SymbolSource = { kind: 'fx' } | { kind: CoinApiName; id: string } | { kind: 'fixed'; usd: Decimal }

const COIN = /^(coingecko|defillama):([a-z0-9][a-z0-9._-]{0,99})$/
const FIXED = /^fixed:(\d{1,20}(?:\.\d{1,18})?)$/

/** Reads `fx`, `coingecko:<id>`, `defillama:<id>` or `fixed:<usd>`. */
export function parseSymbolSource(text: string): SymbolSource | undefined {
  if (text === 'fx') return { kind: 'fx' }
  const [, name, id] = COIN.exec(text) ?? []
  if (name && id) return { kind: name as CoinApiName, id }
  const [, usd] = FIXED.exec(text) ?? []
  return usd === undefined ? undefined : { kind: 'fixed', usd: decimal(usd) }
}

/** USD per unit. Undefined: unknown to the source, or not allowed. Rejects with `UpstreamError`. */
export type PriceSymbol = (symbol: string, source: SymbolSource) => Promise<FxRate | undefined>

export function createPriceSymbol({ rates, coins }: { rates: FxRates; coins: readonly CoinApi[] }): PriceSymbol {
  return async (symbol, source) => {
    if (source.kind === 'fixed') return { usd: source.usd, source: 'fixed' }
    if (source.kind === 'fx') {
      const rate = await rates.usdPerUnit(symbol)
      if (!rate) throw new UpstreamError('unavailable', `no rate of ${symbol}`)
      return rate
    }
    const usd = await coins.find(({ name }) => name === source.kind)?.usdPerCoin(source.id)
    return usd && { usd, source: source.kind }
  }
}
