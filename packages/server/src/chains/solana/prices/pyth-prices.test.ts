import { type PythFigures, pythFeeds, pythPrice } from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { cutShort, ofAnotherChainType, solanaReaderOf } from '../../../../test/solana-reader-of.ts'
import type { Token } from '../../../domain/token.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Chain } from '../../chain.ts'
import { chains } from '../../chain-types.ts'
import type { SolanaAccount } from '../codec/account-data.ts'
import { PUBLISHED_PYTH_FEEDS } from './published-pyth-feeds.ts'
import { createPythPrices } from './pyth-prices.ts'

const solana = chains.find(({ key }) => key === 'solana') as Chain
const NOW = 1_790_000_000
const CLOCK = { slot: 400_000_000n, epoch: 900n, time: NOW }
const SOL = '11111111111111111111111111111111'
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112'
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const UNKNOWN = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'

const token = (address: string): Token => ({
  ...{ chain: 'solana', address, symbol: '', name: '', decimals: 9, listed: true },
})
const sol = (figures: Partial<PythFigures> = {}) =>
  pythPrice({
    feedId: pythFeeds.SOL,
    price: 15_234_567_890n,
    confidence: 7_000_000n,
    publishedAt: NOW - 20,
    ...figures,
  })

const open = (accounts: readonly SolanaAccount[], asOf?: number) => {
  const reader = solanaReaderOf(accounts, CLOCK)
  const anchors = { expects: () => false, price: async () => undefined }
  const past = asOf === undefined ? {} : { asOf }
  return { reader, query: createPythPrices(PUBLISHED_PYTH_FEEDS).open({ chain: solana, reader, anchors, ...past }) }
}
const quote = async (accounts: readonly SolanaAccount[], address = SOL, asOf?: number) =>
  (await open(accounts, asOf).query.quote([token(address)])).get(address)

describe('Pyth', () => {
  it('prices a token by its feed, exactly', async () => {
    // 15234567890 × 10^-8
    const said = { usd: '152.3456789', source: 'pyth', confidence: 1, asOf: NOW - 20, block: CLOCK.slot }
    for (const address of [SOL, WRAPPED_SOL]) {
      const found = await quote([await sol()], address)
      if (!found || found instanceof UpstreamError) throw new Error('no price')
      expect({ ...found.price, usd: found.price.usd.toFixed() }).toEqual({ chain: 'solana', token: address, ...said })
      expect(found.proceeds).toBeUndefined()
    }
  })

  it.each([
    ['of the least token', 1n, -12, '0.000000000001'],
    ['without decimals', 64_123n, 0, '64123'],
    ['in thousands', 64n, 3, '64000'],
    ['of all the digits that there are', 9_223_372_036_854_775_807n, -18, '9.223372036854775807'],
  ])('keeps every digit of a price %s', async (_, price, exponent, usd) => {
    const found = await quote([await sol({ price, exponent, confidence: 0n })])
    expect(found && 'price' in found && found.price.usd.toFixed()).toBe(usd)
  })

  it('reads its accounts when a wallet begins to be read, in one trip', async () => {
    const { reader, query } = open([await sol()])
    expect(reader.trips()).toBe(1)
    await query.quote([token(SOL), token(USDC)])
    expect(reader.trips()).toBe(1)
  })

  it('knows only what it has a feed and an account of', async () => {
    const { query } = open([await sol()])
    expect([SOL, WRAPPED_SOL, USDC, UNKNOWN].map(query.expects)).toEqual([true, true, true, false])
    expect([...(await query.quote([token(USDC), token(UNKNOWN)])).keys()]).toEqual([])
  })

  it('takes the newest of what the old and the new programs say, and whichever is sound', async () => {
    const usd = async (accounts: readonly SolanaAccount[]) => {
      const found = await quote(accounts)
      return found && 'price' in found ? found.price.usd.toFixed() : found
    }
    const later = { price: 200n, confidence: 1n, exponent: 0, upgraded: true, publishedAt: NOW - 1 }
    expect(await usd([await sol(), await sol(later)])).toBe('200')
    expect(await usd([await sol(), await sol({ ...later, publishedAt: NOW - 30 })])).toBe('152.3456789')
    expect(await usd([await sol({ publishedAt: NOW - 90_000 }), await sol(later)])).toBe('200')
  })

  it.each<[string, Partial<PythFigures>]>([
    ['stale', { publishedAt: NOW - 301 }],
    ['from the future', { publishedAt: NOW + 61 }],
    ['verified in part', { verification: 13 }],
    ['zero', { price: 0n, confidence: 0n }],
    ['negative', { price: -1n, confidence: 0n }],
    ['wide of the mark', { confidence: 304_691_358n }],
    ['of an absurd exponent', { exponent: -31 }],
  ])('fails where the price is %s', async (_, figures) => {
    expect(await quote([await sol(figures)])).toBeInstanceOf(UpstreamError)
  })

  it('believes an interval of two percent and a figure of five minutes ago', async () => {
    // 15234567890 / 50 = 304691357.8
    const found = await quote([await sol({ confidence: 304_691_357n, publishedAt: NOW - 300 })])
    expect(found).toHaveProperty('price')
  })

  it.each([
    ['cut short', cutShort],
    ['of another kind', ofAnotherChainType],
  ])('fails where an account is %s', async (_, change) => {
    expect(await quote([change(await sol())])).toBeInstanceOf(UpstreamError)
  })

  it('fails where the account is of another feed', async () => {
    const [right, other] = [await sol(), await sol({ feedId: pythFeeds.USDC })]
    expect(await quote([{ ...other, address: right.address }])).toBeInstanceOf(UpstreamError)
  })

  it('takes SOL that lies at the address for no price', async () => {
    expect(await quote([{ ...(await sol()), owner: SOL, data: new Uint8Array() }])).toBeUndefined()
  })

  it('knows a past moment only while its figure is of then', async () => {
    expect(await quote([await sol()], SOL, NOW - 60)).toHaveProperty('price')
    expect(await quote([await sol()], SOL, NOW - 86_400)).toBeInstanceOf(UpstreamError)
  })

  it('rejects when the node does', async () => {
    const reader = {
      ...solanaReaderOf([], CLOCK),
      accounts: async () => {
        throw new UpstreamError('unavailable', 'no endpoint answers')
      },
    }
    const anchors = { expects: () => false, price: async () => undefined }
    const query = createPythPrices(PUBLISHED_PYTH_FEEDS).open({ chain: solana, reader, anchors })
    expect((await query.quote([token(SOL)])).get(SOL)).toBeInstanceOf(UpstreamError)
  })
})
