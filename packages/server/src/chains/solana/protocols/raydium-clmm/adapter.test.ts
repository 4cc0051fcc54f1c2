import { type ClmmAmounts, type ClmmFigures, clmmFigures, raydiumClmm as fixture } from '@coffer/solana-fixtures'
import { describe, expect, inject, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import { amountsOf, CLOCK, expectRefused, readFixture, WALLET } from '../../../../../test/solana/protocol-bench.ts'
import { decimal } from '../../../../domain/decimal.ts'
import { raydiumClmm, sqrtPriceAtTick } from './adapter.ts'

const ROUNDS = inject('deep') ? 20_000 : 200
const figures = clmmFigures(CLOCK)
const wrap = (growth: bigint) => BigInt.asUintN(128, growth)

const read = (change: Partial<ClmmFigures> = {}, amounts?: ClmmAmounts) =>
  readFixture(raydiumClmm, fixture(WALLET, CLOCK, { ...figures, ...change }, amounts))

describe('the price at a tick', () => {
  it('has the ends that the program states', () => {
    const ends = [-443_636, 0, 443_636].map(sqrtPriceAtTick)
    expect(ends).toEqual([4_295_048_016n, 2n ** 64n, 79_226_673_521_066_979_257_578_248_091n])
    expect(() => sqrtPriceAtTick(-443_637)).toThrow(RangeError)
  })

  it('rises by half a hundredth of a percent with each tick', () => {
    const random = seededRandom('ticks of Raydium')
    for (let round = 0; round < ROUNDS; round += 1) {
      const tick = random.index(400_000) - 200_000
      const step = decimal(sqrtPriceAtTick(tick + 1)).div(decimal(sqrtPriceAtTick(tick)))
      // √1.0001, to the precision of 64 fractional bits of the lower tick.
      const off = step.minus('1.00004999875006249609').abs()
      expect(off.lt('1e-14'), `seed ${random.seed}, tick ${tick}: ${off}`).toBe(true)
    }
  })
})

describe('a position of Raydium', () => {
  it('is what it would pay, with its fees and the reward until that ended, in two trips', async () => {
    const { positions, figures: found, trips, expected } = await read()
    expect([found, trips]).toEqual([expected, 2])
    expect(positions[0]?.label).toBe('CLMM')
  })

  it('is one token alone below and above its range', async () => {
    const counters = (checkpoints: readonly bigint[]) =>
      figures.counters.map(({ owed }, index) => ({
        owed,
        checkpoint: checkpoints[index] ?? 0n,
      })) as unknown as ClmmFigures['counters']
    const rewards = [658_865_269n, 58_108_738n, 1_026_771n] as const
    // Growth inside is the difference of the two outsides, one way or the other.
    const below = {
      ...{ tick: -25_000, sqrtPrice: 5_285_410_969_415_399_195n },
      counters: counters([900_000_000_000_000n, 10_000_000_000_000n, 5_000_000_000n]),
    }
    const above = {
      ...{ tick: -10_000, sqrtPrice: 11_188_795_550_325_113_405n },
      counters: counters([-1_100_000_000_000_000n, -30_000_000_000_000n, -15_000_000_000n].map(wrap)),
    }
    const low = await read(below, { supplied: [25_277_712_239_438n, 0n], rewards })
    expect(low.figures).toEqual(low.expected)
    const high = await read(above, { supplied: [0n, 3_784_894_495_002n], rewards })
    expect(high.figures).toEqual(high.expected)
    // The lower tick belongs to the range, the upper one does not.
    const atLower = { ...below, tick: -19_980, sqrtPrice: 6_793_306_767_972_244_478n }
    const first = await read(atLower, {
      supplied: [25_277_712_239_438n, 0n],
      rewards: [5_946_844_429n, 105_039_604n, 529_699_044n],
    })
    expect(first.figures).toEqual(first.expected)
    const atUpper = { ...above, tick: -18_000, sqrtPrice: 7_500_223_941_357_688_491n }
    const last = await read(atUpper, { supplied: [0n, 3_784_894_495_002n], rewards })
    expect(last.figures).toEqual(last.expected)
  })

  it('has the part of a reward between its times, and of none without liquidity', async () => {
    const inReward = async (reward: Partial<ClmmFigures['reward']>, poolLiquidity = figures.poolLiquidity) => {
      const { positions } = await read({ reward: { ...figures.reward, ...reward }, poolLiquidity })
      return positions[0]?.rewards[2]?.amountRaw
    }
    // Growth inside before the last 3,000 seconds, and 12345·2^64 ÷ 612345678901234567 more with each.
    const inside = 98_765_432_109_876n - 12_345_678_901n - 2_345_678_901n
    const perSecond = (seconds: bigint) => ((12_345n << 64n) * seconds) / 612_345_678_901_234_567n
    const owed = (seconds: bigint) =>
      1_000_001n + (98_765_432_109_876n * (inside + perSecond(seconds) - 98_750_000_000_000n)) / 2n ** 64n
    expect(owed(3_000n)).toBe(1_009_940n)
    const { time } = CLOCK
    expect(await inReward({ ends: time + 1_000 })).toBe(owed(5_000n))
    expect(await inReward({ ends: time - 5_000 })).toBe(owed(0n))
    expect(await inReward({ ends: time + 9_000, opens: time, updated: time })).toBe(owed(0n))
    expect(await inReward({ ends: time + 9_000, opens: time + 10, updated: time + 10 })).toBe(owed(0n))
    expect(await inReward({}, 0n)).toBe(owed(0n))
  })

  it('is read with a trip more where its pool has a tick spacing that none had', async () => {
    const { figures: found, trips } = await read({ tickSpacing: 36 })
    expect([found, trips]).toEqual([(await read()).expected, 3])
  })

  it('without liquidity is what it is still owed, and nothing once that is collected', async () => {
    const owed = await read({ liquidity: 0n })
    expect(amountsOf(owed.positions[0]?.rewards)).toEqual([123_456_789n, 4_567_890n, 1_000_001n])
    const nothing = { checkpoint: 1n, owed: 0n }
    expect((await read({ liquidity: 0n, counters: [nothing, nothing, nothing] })).positions).toEqual([])
  })

  it('is not believed of another NFT, of ticks out of range, or with other arrays or unused ticks', async () => {
    await expectRefused(raydiumClmm, fixture(WALLET, CLOCK), [
      [0, 9, 1],
      [0, 80, 0x7f],
      [2, 40, 1],
      [2, 8, 1],
      // Tick −19980 is the 43rd of the array from −20400 on: without liquidity it is not in use.
      [2, 44 + 42 * 168 + 20, 0],
    ])
  })
})
