import type { Address } from '../../domain/address.ts'
import { type Decimal, decimal } from '../../domain/decimal.ts'
import { type PriceSource, type Quote, sameCoin } from '../price-source.ts'
import type { PriceSourceModule } from '../source-module.ts'

/** `usd`: decimal string per unit; zero means worthless. */
export type PriceOverride = { chain: string; token: string; usd: string }

export function createOverridePrices(
  rows: readonly PriceOverride[],
  spell: (address: string) => Address,
): PriceSource<unknown> {
  const byChain = new Map<string, (readonly [string, Decimal])[]>()
  for (const { chain, token, usd } of rows) {
    byChain.set(chain, [...(byChain.get(chain) ?? []), [token, decimal(usd)]])
  }
  return {
    name: 'override',
    byRow: true,
    open({ chain, witness }) {
      const ofChain = byChain.get(chain.key) ?? []
      const byToken = new Map<Address, Decimal>(ofChain.map(([token, usd]) => [spell(token), usd]))
      const usdOf = (token: Address) => {
        const row = sameCoin(chain, token).find((address) => byToken.has(address))
        return row && byToken.get(row)
      }
      return {
        expects: (token) => usdOf(token) !== undefined,
        async quote(tokens) {
          const quotes = new Map<Address, Quote>()
          for (const { address } of tokens) {
            const usd = usdOf(address)
            const price = usd && { chain: chain.key, token: address, usd, source: 'override', confidence: 1 }
            if (!price) continue
            quotes.set(address, { price, changedAt: 0 })
            witness?.({ token: address, usd, source: 'override', confidence: 1, path: [{ kind: 'set', rate: usd }] })
          }
          return quotes
        },
      }
    },
  }
}

export const overrideSource: PriceSourceModule<unknown> = {
  name: 'override',
  leavesNode: false,
  needsNoState: true,
  settings: [],
  create: ({ overrides, spell }) => createOverridePrices(overrides, spell),
}
