import {
  clmmMarket,
  cpmmMarket,
  type PairFigures,
  type RangeFigures,
  whirlpoolMarket,
  whirlpoolPays,
} from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { CLOCK, changed, cutShort, gone, ofAnotherProgram, readerOf } from '../../../../test/solana/protocol-bench.ts'
import { priceOf, tokenOf } from '../../../../test/wallet-reads.ts'
import type { Token } from '../../../domain/token.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Chain } from '../../chain.ts'
import { chains } from '../../chain-types.ts'
import type { SolanaAccount } from '../codec/account-data.ts'
import { createSolanaPoolPrices } from './solana-pool-prices.ts'

const solana = chains.find(({ key }) => key === 'solana') as Chain
const NOW = CLOCK.time
const SOL = 'So11111111111111111111111111111111111111112'
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const USDT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'
/** Its bytes sort after SOL's and before USDC's. */
const MINT = 'DriFtupJYLTosbwoN8koMbEYSx54aFAVLddWsbksjwg7'
const token = tokenOf(MINT, 'X', { chain: 'solana', decimals: 6 })

/** Liquidity that begins or ends at ticks, in millions. */
const nets = (...at: readonly (readonly [tick: number, millions: bigint])[]) =>
  new Map(at.map(([tick, millions]) => [tick, millions * 1_000_000n]))

/** A quarter of a USDC a token, both with six decimals; √¼ is half of 2^64. 1.0001^-13864 is just below a quarter. */
const inUsdc: RangeFigures = {
  mints: [MINT, USDC],
  tickSpacing: 64,
  feeMillionths: 3_000,
  liquidity: 4_000_000_000_000n,
  sqrtPrice: 1n << 63n,
  tick: -13_864,
  balances: [5_000_000_000_000n, 1_200_000_000_000n],
  nets: nets([-20_032, 3_000_000n], [-14_016, 1_000_000n], [-8_000, -4_000_000n]),
}
/** Four base units a lamport: 4,000 tokens a SOL. */
const inSol: RangeFigures = {
  mints: [SOL, MINT],
  tickSpacing: 64,
  feeMillionths: 3_000,
  liquidity: 40_000_000_000_000n,
  sqrtPrice: 1n << 65n,
  tick: 13_863,
  balances: [1_000_000_000_000n, 5_000_000_000_000n],
  nets: nets([8_000, 40_000_000n], [14_016, -10_000_000n], [20_032, -30_000_000n]),
}
const inRaydium: RangeFigures = {
  ...inUsdc,
  tickSpacing: 60,
  nets: nets([-19_980, 3_000_000n], [-14_040, 1_000_000n], [-7_980, -4_000_000n]),
}
const pair: PairFigures = {
  mints: [MINT, USDC],
  feeMillionths: 2_500,
  reserves: [2_000_000_000_000n, 500_000_000_000n],
  fees: [9_000_000_000n, 3_000_000_001n],
}

const USD: Record<string, string> = { [SOL]: '150', [USDC]: '1', [USDT]: '1' }

function open(accounts: readonly SolanaAccount[], known = USD, source = createSolanaPoolPrices()) {
  const reader = readerOf(accounts)
  const anchors = {
    expects: (address: string) => known[address] !== undefined,
    price: async ({ address }: Token) => {
      const usd = known[address]
      return usd === undefined ? undefined : priceOf(address, usd, { chain: 'solana' })
    },
  }
  return { reader, query: source.open({ chain: solana, reader, anchors }) }
}

async function said(accounts: readonly SolanaAccount[], known = USD) {
  return (await open(accounts, known).query.quote([token])).get(MINT)
}

async function priced(accounts: readonly SolanaAccount[], known = USD) {
  const quote = await said(accounts, known)
  if (!quote || quote instanceof UpstreamError) throw quote ?? new Error('no price')
  return quote
}

const shown = async (accounts: readonly SolanaAccount[]) => {
  const { price } = await priced(accounts)
  return [price.usd.toFixed(), price.source, price.confidence]
}

/** Base units of the quote token for a sale, by the quote. */
const pays = async (accounts: readonly SolanaAccount[], amountRaw: bigint, usdPerRaw: string) => {
  const { proceeds } = await priced(accounts)
  return proceeds?.(amountRaw).div(usdPerRaw).round(0, 0).toFixed(0)
}

describe('pools of Orca', () => {
  it('price a token, on either side of the pair', async () => {
    expect(await shown(await whirlpoolMarket(inUsdc))).toEqual(['0.25', 'orca', 0.9])
    // 150 / 4,000; 1,000 SOL are worth 150,000.
    expect(await shown(await whirlpoolMarket(inSol))).toEqual(['0.0375', 'orca', 0.7])
  })

  it.each([
    ['fixed arrays', false],
    ['dynamic arrays', true],
  ])('pay what their own library says, through %s', async (_, isDynamic) => {
    const [first, second] = [
      await whirlpoolMarket({ ...inUsdc, isDynamic }),
      await whirlpoolMarket({ ...inSol, isDynamic }),
    ]
    for (const amount of [1n, 999_999n, 12_345_678_901n, 400_000_000_000n]) {
      const paid = [await pays(first, amount, '0.000001'), await pays(second, amount, '0.00000015')].map(Number)
      const expected = [whirlpoolPays(inUsdc, amount, true), whirlpoolPays(inSol, amount, false)].map(Number)
      // The program rounds at every tick crossing.
      for (const [index, figure] of paid.entries()) {
        expect(figure - (expected[index] ?? 0), `of ${amount}`).toBeGreaterThanOrEqual(0)
        expect(figure - (expected[index] ?? 0), `of ${amount}`).toBeLessThanOrEqual(4)
      }
    }
  })

  it('pay nothing for what goes beyond the ticks that were read', async () => {
    const accounts = await whirlpoolMarket(inUsdc)
    const most = await pays(accounts, 10n ** 17n, '0.000001')
    expect(await pays(accounts, 10n ** 18n, '0.000001')).toBe(most)
  })

  it('are not used with little depth', async () => {
    const balances = [5_000_000_000_000n, 9_999_000_000n] as const
    expect(await said(await whirlpoolMarket({ ...inUsdc, balances }))).toBeUndefined()
    expect(await said(await whirlpoolMarket({ ...inUsdc, liquidity: 0n }))).toBeUndefined()
  })

  it('fail where an account cannot be read', async () => {
    const accounts = await whirlpoolMarket(inUsdc)
    const [pool, , vault, array] = accounts.map(({ address }) => address)
    for (const address of [pool, vault, array]) {
      expect(await said(changed(accounts, address ?? '', cutShort))).toBeInstanceOf(UpstreamError)
    }
    expect(await said(changed(accounts, vault ?? '', gone))).toBeInstanceOf(UpstreamError)
    expect(await said(changed(accounts, pool ?? '', ofAnotherProgram))).toBeUndefined()
  })

  it('fail if the other token has no price', async () => {
    expect(await said(await whirlpoolMarket(inUsdc), { [SOL]: '150' })).toBeInstanceOf(UpstreamError)
  })
})

describe('concentrated liquidity of Raydium', () => {
  /** The same tick for the last hour, recorded every minute. */
  const steady = (tick: number) =>
    Array.from({ length: 60 }, (_, index) => ({
      time: NOW - 3_600 + index * 60,
      cumulative: BigInt(tick) * BigInt(index * 60),
    }))

  it('prices a token, with more confidence if the price held for half an hour', async () => {
    expect(await shown(await clmmMarket(inRaydium))).toEqual(['0.25', 'raydium_clmm', 0.9])
    const held = await clmmMarket({ ...inRaydium, notes: steady(-13_864) })
    expect(await shown(held)).toEqual(['0.25', 'raydium_clmm', 0.95])
  })

  it('is not believed where its price has just been another', async () => {
    expect(await said(await clmmMarket({ ...inRaydium, notes: steady(-15_000) }))).toBeInstanceOf(UpstreamError)
    // Recorded once long ago and once now: the same average for the last half hour.
    const rare = [
      { time: NOW - 36_000, cumulative: 0n },
      { time: NOW - 1, cumulative: -15_000n * 35_999n },
    ]
    expect(await said(await clmmMarket({ ...inRaydium, notes: rare }))).toBeInstanceOf(UpstreamError)
  })

  it('is believed where the price has moved half an hour ago', async () => {
    const moved = [
      { time: NOW - 36_000, cumulative: 0n },
      { time: NOW - 1_800, cumulative: -15_000n * 34_200n },
    ]
    expect(await shown(await clmmMarket({ ...inRaydium, notes: moved }))).toEqual(['0.25', 'raydium_clmm', 0.95])
  })

  it('pays what liquidity of the same figures pays at Orca', async () => {
    const accounts = await clmmMarket(inRaydium)
    for (const amount of [1n, 12_345_678_901n, 500_000_000_000n]) {
      const difference =
        Number(await pays(accounts, amount, '0.000001')) - Number(whirlpoolPays(inRaydium, amount, true))
      expect(difference, `of ${amount}`).toBeGreaterThanOrEqual(0)
      expect(difference, `of ${amount}`).toBeLessThanOrEqual(4)
    }
  })

  it('says nothing while it is closed', async () => {
    expect(await said(await clmmMarket({ ...inRaydium, isClosed: true }))).toBeUndefined()
  })
})

describe('constant product of Raydium', () => {
  it('prices a token, before fees', async () => {
    const accounts = await cpmmMarket(pair)
    expect(await shown(accounts)).toEqual(['0.25', 'raydium_cpmm', 0.8])
    // 10^10 × 0.9975 × 5·10^11 / (2·10^12 + 10^10 × 0.9975)
    expect(await pays(accounts, 10_000_000_000n, '0.000001')).toBe('2481374146')
    const dearer = await cpmmMarket({ ...pair, creatorFeeMillionths: 1_000 })
    expect(await pays(dearer, 10_000_000_000n, '0.000001')).toBe('2478898886')
  })

  it('says nothing before it opens', async () => {
    expect(await said(await cpmmMarket({ ...pair, opens: NOW + 1 }))).toBeUndefined()
    expect(await shown(await cpmmMarket({ ...pair, opens: NOW }))).toEqual(['0.25', 'raydium_cpmm', 0.8])
  })
})

describe('pools of several programs', () => {
  it('are ranked by their depth', async () => {
    const shallow = await cpmmMarket({ ...pair, reserves: [100_000_000_000n, 50_000_000_000n] })
    const two = [...shallow, ...(await whirlpoolMarket(inSol))]
    expect(await shown([...two, ...(await clmmMarket(inRaydium))])).toEqual(['0.25', 'raydium_clmm', 0.9])
    expect(await shown(two)).toEqual(['0.0375', 'orca', 0.7])
  })

  it('are read in two trips, and the next time without a search', async () => {
    const source = createSolanaPoolPrices()
    const accounts = [...(await cpmmMarket(pair)), ...(await whirlpoolMarket(inUsdc))]
    const asked = async () => {
      const { reader, query } = open(accounts, USD, source)
      await query.quote([token])
      return reader.trips.map((trip) => trip.reduce((sum, question) => sum + Number(question.split(' ')[0]), 0))
    }
    // 25 pool types for each of three tokens; then a vault and two arrays, and a configuration and two vaults.
    expect(await asked()).toEqual([75, 6])
    expect(await asked()).toEqual([2, 6])
  })

  it('price quote tokens that no other source prices', async () => {
    const wrapped: Token = { ...token, address: SOL, decimals: 9 }
    // A USDC of six decimals for 2^-8 × 10^9 × 10^-6 SOL, inverted: 2^-6 × 10^3 USDC a SOL.
    const market = await whirlpoolMarket({
      ...inUsdc,
      mints: [SOL, USDC],
      sqrtPrice: 1n << 61n,
      tick: -41_591,
      liquidity: 40_000_000_000_000n,
      nets: nets([-44_032, 40_000_000n]),
    })
    const quote = (await open(market, { [USDC]: '1' }).query.quote([wrapped])).get(SOL)
    expect(quote && 'price' in quote && quote.price.usd.toFixed()).toBe('15.625')
  })

  it('know nothing of the past', async () => {
    const reader = readerOf(await whirlpoolMarket(inUsdc))
    const anchors = { expects: () => true, price: async () => undefined }
    const query = createSolanaPoolPrices().open({ chain: solana, reader, anchors, asOf: NOW - 86_400 })
    expect([...(await query.quote([token]))]).toEqual([])
    expect(reader.trips).toEqual([])
  })
})
