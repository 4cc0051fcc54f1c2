import { type ClmmAmounts, type ClmmFigures, clmmFigures, raydiumClmm as fixture } from '@coffer/solana-fixtures'
import { describe, expect, inject, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import {
  changed,
  cutShort,
  figuresOf,
  ofAnotherChainType,
  ofAnotherProgram,
  positionsOf,
} from '../../../../../test/solana-reader-of.ts'
import { decimal } from '../../../../domain/decimal.ts'
import { raydiumClmm, sqrtPriceAtTick } from './adapter.ts'

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
const ROUNDS = inject('deep') ? 20_000 : 200
const clock = { slot: 900n * 432_000n, epoch: 900n, time: 1_790_000_000 }
const invalid = expect.objectContaining({ name: 'UpstreamError', reason: 'invalid' })
const figures = clmmFigures(clock)
const wrap = (growth: bigint) => BigInt.asUintN(128, growth)

async function read(change: Partial<ClmmFigures> = {}, amounts?: ClmmAmounts) {
  const { accounts, held, expected } = await fixture(WALLET, clock, { ...figures, ...change }, amounts)
  return { ...(await positionsOf(raydiumClmm, { accounts, wallet: WALLET, clock, held })), expected }
}

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
    const { positions, reader, expected } = await read()
    expect(figuresOf(positions)).toEqual(expected)
    expect(positions[0]?.label).toBe('CLMM')
    expect(reader.trips()).toBe(2)
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
    expect(figuresOf(low.positions)).toEqual(low.expected)
    const high = await read(above, { supplied: [0n, 3_784_894_495_002n], rewards })
    expect(figuresOf(high.positions)).toEqual(high.expected)
    // The lower tick belongs to the range, the upper one does not.
    const atLower = { ...below, tick: -19_980, sqrtPrice: 6_793_306_767_972_244_478n }
    const first = await read(atLower, {
      supplied: [25_277_712_239_438n, 0n],
      rewards: [5_946_844_429n, 105_039_604n, 529_699_044n],
    })
    expect(figuresOf(first.positions)).toEqual(first.expected)
    const atUpper = { ...above, tick: -18_000, sqrtPrice: 7_500_223_941_357_688_491n }
    const last = await read(atUpper, { supplied: [0n, 3_784_894_495_002n], rewards })
    expect(figuresOf(last.positions)).toEqual(last.expected)
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
    const { time } = clock
    expect(await inReward({ ends: time + 1_000 })).toBe(owed(5_000n))
    expect(await inReward({ ends: time - 5_000 })).toBe(owed(0n))
    expect(await inReward({ ends: time + 9_000, opens: time, updated: time })).toBe(owed(0n))
    expect(await inReward({ ends: time + 9_000, opens: time + 10, updated: time + 10 })).toBe(owed(0n))
    expect(await inReward({}, 0n)).toBe(owed(0n))
  })

  it('is read with a trip more where its pool has a tick spacing that none had', async () => {
    const { positions, reader } = await read({ tickSpacing: 36 })
    expect(figuresOf(positions)).toEqual((await read()).expected)
    expect(reader.trips()).toBe(3)
  })

  it('without liquidity is what it is still owed, and nothing once that is collected', async () => {
    const owed = await read({ liquidity: 0n })
    expect(owed.positions[0]?.rewards.map(({ amountRaw }) => amountRaw)).toEqual([123_456_789n, 4_567_890n, 1_000_001n])
    const nothing = { checkpoint: 1n, owed: 0n }
    expect((await read({ liquidity: 0n, counters: [nothing, nothing, nothing] })).positions).toEqual([])
  })

  it('is not believed of accounts that are not what they should be', async () => {
    const { accounts, held } = await fixture(WALLET, clock)
    const [own, pool, lowerArray] = accounts.map(({ address }) => address)
    const withChange = (address: string | undefined, change: Parameters<typeof changed>[2]) =>
      positionsOf(raydiumClmm, { accounts: changed(accounts, address ?? '', change), wallet: WALLET, clock, held })
    for (const address of [own, pool, lowerArray]) {
      for (const change of [cutShort, ofAnotherChainType, ofAnotherProgram]) {
        await expect(withChange(address, change)).rejects.toEqual(invalid)
      }
    }
    const byteSet = (offset: number, byte: number) => (account: { data: Uint8Array }) => ({
      ...(account as (typeof accounts)[number]),
      data: account.data.map((each, index) => (index === offset ? byte : each)),
    })
    for (const address of [pool, lowerArray])
      await expect(withChange(address, () => undefined)).rejects.toEqual(invalid)
    // Another NFT, ticks out of range, an array of other ticks or of another pool.
    await expect(withChange(own, byteSet(9, 1))).rejects.toEqual(invalid)
    await expect(withChange(own, byteSet(80, 0x7f))).rejects.toEqual(invalid)
    await expect(withChange(lowerArray, byteSet(40, 1))).rejects.toEqual(invalid)
    await expect(withChange(lowerArray, byteSet(8, 1))).rejects.toEqual(invalid)
    // Tick −19980 is the 43rd of the array from −20400 on: without liquidity it is not in use.
    await expect(withChange(lowerArray, byteSet(44 + 42 * 168 + 20, 0))).rejects.toEqual(invalid)
  })
})
