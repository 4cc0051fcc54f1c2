import { expect, test } from 'vitest'
import { decimal } from '../../domain/decimal.ts'
import type { Price } from '../../domain/price.ts'
import type { PriceSession } from '../../prices/price-graph.ts'
import type { PriceRequest } from '../../prices/price-source.ts'
import type { KnownTokens } from '../tokens.ts'
import { priceRead } from './price-read.ts'

const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const vault = '0x00000000000000000000000000000000000000b1'
const bait = '0x00000000000000000000000000000000000000b2'

const tokens: KnownTokens = {
  find: (address) => ({ chain: 'ethereum', address, symbol: 'T', name: 'T', decimals: 6, listed: address === usdc }),
  isSpam: ({ address }) => address !== usdc,
  load: async () => {},
  keep: async () => {},
}
const price = (token: `0x${string}`, usd: string): Price => ({
  chain: 'ethereum',
  token,
  usd: decimal(usd),
  source: 'chainlink',
  confidence: 1,
})

/** A session with these prices and failed tokens, which records its requests. */
function session(known: Price[], unsettled: `0x${string}`[] = []) {
  const asked: [string, bigint][][] = []
  const stub: PriceSession = {
    async price(requests: readonly PriceRequest[]) {
      asked.push(requests.map(({ token, amountRaw }) => [token.address, amountRaw]))
      const wanted = new Set(requests.map(({ token }) => token.address))
      return new Map(known.filter(({ token }) => wanted.has(token)).map((item) => [item.token, item]))
    },
    changedAt: () => undefined,
    unsettled: () => new Set(unsettled),
    failedSources: () => new Set(),
  }
  return { stub, asked }
}
const held = (token: `0x${string}`, amountRaw: bigint, receipt = false) => ({ token, amountRaw, receipt })

test('what is held and what lies in positions is one demand; receipts are another, or they would count twice', async () => {
  const { stub, asked } = session([])
  const holdings = [held(usdc, 5n), held(vault, 100n, true)]
  await priceRead(stub, tokens, { holdings, inside: [{ token: usdc, amountRaw: 7n }], before: undefined })
  expect(asked).toEqual([[[usdc, 12n]], [[vault, 100n]]])
})

test('a receipt that also remains in a position has the price of what remains there, or none', async () => {
  const { stub } = session([])
  // Held receipts are priced again, separately: only then can another token pay them.
  let calls = 0
  const apart: PriceSession = {
    ...stub,
    async price() {
      calls += 1
      return calls === 1 ? new Map() : new Map([[vault, price(vault, '1')]])
    },
  }
  const holdings = [held(vault, 100n, true)]
  const rest = { token: vault, amountRaw: 7n, receipt: true } as const
  expect(await priceRead(apart, tokens, { holdings, inside: [rest], before: undefined })).toEqual({
    prices: [],
    gaps: [],
  })
})

test('spam is not asked for; a receipt is none, whatever its symbol', async () => {
  const { stub, asked } = session([])
  const holdings = [held(bait, 1n), held(vault, 1n, true)]
  await priceRead(stub, tokens, { holdings, inside: [], before: undefined })
  expect(asked).toEqual([[], [[vault, 1n]]])
})

test('where a source failed the last price stands, marked; without one the read says that a price is missing', async () => {
  const before = [price(usdc, '0.99')]
  const { stub } = session([], [usdc])
  const kept = await priceRead(stub, tokens, { holdings: [held(usdc, 1n)], inside: [], before })
  expect(kept.prices.map(({ usd }) => usd.toFixed())).toEqual(['0.99'])
  expect(kept.gaps).toEqual([{ reason: 'stale' }])
  const missing = await priceRead(stub, tokens, { holdings: [held(usdc, 1n)], inside: [], before: undefined })
  expect(missing).toEqual({ prices: [], gaps: [{ reason: 'unreadable' }] })
})
