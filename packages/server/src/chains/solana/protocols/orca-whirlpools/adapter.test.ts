import { orcaSqrtPrice, type WhirlpoolFigures, whirlpool, whirlpoolFigures } from '@coffer/solana-fixtures'
import { base58 } from '@scure/base'
import { describe, expect, inject, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import {
  amountsOf,
  CLOCK,
  changed,
  expectRefused,
  INVALID,
  positionsOf,
  readFixture,
  WALLET,
  withByte,
} from '../../../../../test/solana/protocol-bench.ts'
import type { HeldMint } from '../adapter.ts'
import { orcaWhirlpools, sqrtPriceAtTick } from './adapter.ts'

const ROUNDS = inject('deep') ? 20_000 : 120
const wrap = (growth: bigint) => BigInt.asUintN(128, growth)

async function read(figures: WhirlpoolFigures, more: HeldMint[] = []) {
  const fixture = await whirlpool(WALLET, CLOCK, figures)
  return readFixture(orcaWhirlpools, fixture, { held: [...fixture.held, ...more] })
}

/** Price below, inside and above the range, in turn. Some counters are about to wrap around. */
function randomFigures(random: Random, place: 'below' | 'inside' | 'above'): WhirlpoolFigures {
  const tickSpacing = random.pick([1, 2, 4, 8, 16, 64, 96, 128, 256])
  const last = Math.floor(250_000 / tickSpacing)
  const tickLower = (random.index(2 * last - 1) - last) * tickSpacing
  const tickUpper = tickLower + (1 + random.index(Math.floor((250_000 - tickLower) / tickSpacing))) * tickSpacing
  const [lower, upper] = [sqrtPriceAtTick(tickLower), sqrtPriceAtTick(tickUpper)]
  const between = { below: [lower / 2n, lower - 1n], inside: [lower, upper - 1n], above: [upper, upper * 2n] } as const
  const [lowest, highest] = between[place]
  const floor = sqrtPriceAtTick(-443_636)
  const sqrtPrice = random.amount(lowest < floor ? floor : lowest, highest)
  const any = () => random.amount(0n, 2n ** 128n - 1n)
  const emission = random.amount(0n, 2n ** 80n)
  const poolLiquidity = random.amount(2n ** 20n, 2n ** 60n)
  const secondsAgo = random.index(100_000)
  const growth = [any(), any(), any()] as const
  const now = [growth[0], growth[1], growth[2] + (emission * BigInt(secondsAgo)) / poolLiquidity]
  const [outsideLower, outsideUpper] = [
    [any(), any(), any(), any(), any()] as const,
    [any(), any(), any(), any(), any()] as const,
  ]
  const insideOf = (index: number) => {
    const [everywhere, below, above] = [now[index] ?? 0n, outsideLower[index] ?? 0n, outsideUpper[index] ?? 0n]
    if (place === 'inside') return everywhere - below - above
    return place === 'below' ? below - above : above - below
  }
  const counter = (index: number) => ({
    checkpoint: wrap(insideOf(index) - random.amount(0n, 2n ** 66n)),
    owed: random.amount(0n, 2n ** 50n),
  })
  return {
    ...{ tickSpacing, sqrtPrice, poolLiquidity, tickLower, tickUpper, outsideLower, outsideUpper },
    feeGrowth: [growth[0], growth[1]],
    reward: { emission, growth: growth[2], secondsAgo },
    liquidity: random.amount(1n, 2n ** 44n),
    counters: [counter(0), counter(1), counter(2)],
    isDynamic: random.index(2) === 0,
  }
}

describe('the price at a tick', () => {
  it('is that of the library of Orca, at the ends and between', () => {
    const random = seededRandom('ticks of Whirlpools')
    const ends = [-443_636, -443_635, -1, 0, 1, 443_635, 443_636]
    const between = Array.from({ length: ROUNDS }, () => random.index(887_273) - 443_636)
    for (const tick of [...ends, ...between]) expect(sqrtPriceAtTick(tick), `tick ${tick}`).toBe(orcaSqrtPrice(tick))
    expect(() => sqrtPriceAtTick(443_637)).toThrow(RangeError)
  })
})

describe('a position of Orca', () => {
  it('is what it would pay, with its fees and rewards, in two trips', async () => {
    const { positions, trips, held } = await read(whirlpoolFigures)
    expect(positions[0]).toMatchObject({ label: '0.04%', receipts: [held[0]?.mint] })
    expect(trips).toBe(2)
  })

  it('agrees with the library of Orca in any range and at any price', async () => {
    const random = seededRandom('Whirlpools')
    for (let round = 0; round < ROUNDS; round += 1) {
      const place = (['below', 'inside', 'above'] as const)[round % 3] ?? 'inside'
      const { figures, expected } = await read(randomFigures(random, place))
      expect(figures, `seed ${random.seed}, round ${round}`).toEqual(expected)
      if (place !== 'inside') expect(figures[0]?.supplied.length).toBeLessThan(2)
    }
  })

  it.each([
    ['in two trips over the full range of a Splash pool', 2, 32_896, -427_648, 427_648],
    ['with a trip more where its pool has a tick spacing that none had', 3, 20, -20_000, -18_020],
  ])('is read %s', async (_, most, tickSpacing, tickLower, tickUpper) => {
    const { figures, trips, expected } = await read({ ...whirlpoolFigures, tickSpacing, tickLower, tickUpper })
    expect([figures, trips]).toEqual([expected, most])
  })

  it('without liquidity is what it is still owed, and nothing once that is collected', async () => {
    const closed = { ...whirlpoolFigures, liquidity: 0n }
    const { accounts, held } = await whirlpool(WALLET, CLOCK, closed)
    const withoutTicks = accounts.filter(({ data }) => data.length < 1_000)
    const { positions } = await positionsOf(orcaWhirlpools, { accounts: withoutTicks, held })
    expect(positions[0]?.supplied).toEqual([])
    expect(amountsOf(positions[0]?.rewards)).toEqual([123_456_789n, 4_567_890n, 1_000_001n])
    const nothing = { checkpoint: 0n, owed: 0n }
    expect((await read({ ...closed, counters: [nothing, nothing, nothing] })).positions).toEqual([])
  })

  it('loses what the program itself can no longer pay: growth that does not fit', async () => {
    const { accounts, held, expected } = await whirlpool(WALLET, CLOCK)
    // The top byte of the first fee's growth: liquidity × growth exceeds 128 bits.
    const grown = changed(accounts, accounts[1]?.address ?? '', withByte(180, 0x40))
    const { positions } = await positionsOf(orcaWhirlpools, { accounts: grown, held })
    expect(positions[0]?.rewards[0]?.amountRaw).toBe(123_456_789n)
    expect(positions[0]?.rewards.slice(1)).toEqual(expected[0]?.rewards.slice(1))
  })

  it('is looked for among NFTs alone, which need not be positions', async () => {
    const others = [
      { mint: '2ZnAJPPMXMDtr6HBsdWdAc6KPjFZYZ6i8qwvvoaUaMuX', amountRaw: 1n, decimals: 0 },
      { mint: '9CQQRzZ6Cjh2PSAiDzbWLzvV4jUBKzM3UVrV7hH7z1mC', amountRaw: 2n, decimals: 0 },
      { mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', amountRaw: 1n, decimals: 6 },
    ]
    expect((await read(whirlpoolFigures, others)).positions).toHaveLength(1)
    const none = await positionsOf(orcaWhirlpools, { accounts: [], held: others.slice(1) })
    expect([none.positions, none.trips]).toEqual([[], 0])
    const { accounts, held } = await whirlpool(WALLET, CLOCK)
    const sent = changed(accounts, accounts[0]?.address ?? '', (account) => ({
      ...account,
      owner: '11111111111111111111111111111111',
      data: new Uint8Array(),
    }))
    expect((await positionsOf(orcaWhirlpools, { accounts: sent, held })).positions).toEqual([])
  })

  it('is found among thousands of NFTs sent to the wallet, and the answer says that not all are read', async () => {
    const flood = Array.from({ length: 2_000 }, (_, index) => {
      const bytes = Uint8Array.from({ length: 32 }, (_byte, place) => (index >> (place * 8)) & 0xff).fill(7, 4)
      return { mint: base58.encode(bytes), amountRaw: 1n, decimals: 0 }
    })
    const found = await read(whirlpoolFigures, flood)
    expect(found.positions).toHaveLength(1)
    expect(found.leftOut).toEqual([INVALID])
  })

  it('is not believed of another NFT, of ticks out of range, or with other arrays or unused ticks', async () => {
    await expectRefused(orcaWhirlpools, whirlpool(WALLET, CLOCK), [
      [0, 40, 1],
      [0, 95, 0x7f],
      [2, 8, 1],
      [2, 12, 1],
      [2, 60, 2],
      [2, 60, 0],
    ])
  })
})
