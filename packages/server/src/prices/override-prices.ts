import type { Address } from '../domain/address.ts'
import { type Decimal, decimal } from '../domain/decimal.ts'
import { evmAddress } from '../domain/evm-address.ts'
import { type PriceSource, type Quote, sameCoin } from './price-source.ts'

/** A price that the operator fixes, in USD per unit, as a decimal string. Zero says that the token is worth nothing. */
export type PriceOverride = { chain: string; token: string; usd: string }

export function createOverridePrices(rows: readonly PriceOverride[]): PriceSource {
  const byToken = new Map<string, Decimal>()
  for (const row of rows) byToken.set(`${row.chain}:${evmAddress(row.token)}`, decimal(row.usd))
  return {
    name: 'override',
    byRow: true,
    open({ chain }) {
      const usdOf = (token: Address) => {
        const row = sameCoin(chain, token).find((address) => byToken.has(`${chain.key}:${address}`))
        return row && byToken.get(`${chain.key}:${row}`)
      }
      return {
        expects: (token) => usdOf(token) !== undefined,
        async quote(tokens) {
          const quotes = new Map<Address, Quote>()
          for (const { address } of tokens) {
            const usd = usdOf(address)
            const price = usd && { chain: chain.key, token: address, usd, source: 'override', confidence: 1 }
            if (price) quotes.set(address, { price, changedAt: 0 })
          }
          return quotes
        },
      }
    },
  }
}
