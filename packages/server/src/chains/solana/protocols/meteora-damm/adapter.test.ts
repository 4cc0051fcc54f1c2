import { type DammFigures, dammFigures, meteoraDamm as fixture } from '@coffer/solana-fixtures'
import { describe, expect, inject, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { amountsOf, CLOCK, expectRefused, readFixture, WALLET } from '../../../../../test/solana/protocol-bench.ts'
import { meteoraDamm } from './adapter.ts'

const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'
const ROUNDS = inject('deep') ? 20_000 : 300
const figures = dammFigures(CLOCK)
const nothing = { checkpoint: 0n, pending: 0n }

const read = (change: Partial<DammFigures> = {}) =>
  readFixture(meteoraDamm, fixture(WALLET, CLOCK, { ...figures, ...change }))

function randomFigures(random: Random): DammFigures {
  const some = (bits: bigint) => random.amount(0n, 2n ** bits)
  const sqrtMin = random.amount(2n ** 33n, 2n ** 60n)
  const sqrtMax = random.amount(2n ** 66n, 2n ** 96n)
  // Includes growth that has wrapped around since the checkpoint.
  const growth = (): [bigint, bigint] => {
    const now = random.amount(0n, 2n ** 256n - 1n)
    return [now, BigInt.asUintN(256, now - some(120n))]
  }
  const [[growthA, checkpointA], [growthB, checkpointB]] = [growth(), growth()]
  const stored = some(180n)
  const [cliff, period, periods] = [CLOCK.time + random.index(4_000) - 3_000, random.index(100), random.index(100)]
  const [atCliff, perPeriod] = [some(80n), random.index(4) === 0 ? 0n : some(70n)]
  const mayBeReleased = CLOCK.time < cliff ? 0n : atCliff
  return {
    liquidity: random.amount(2n ** 80n, 2n ** 110n),
    ...{ sqrtMin, sqrtMax, sqrtPrice: random.amount(sqrtMin, sqrtMax) },
    isCompounding: random.index(3) === 0,
    reserves: [random.amount(1n, 2n ** 50n), random.amount(1n, 2n ** 50n)],
    growth: [growthA, growthB],
    reward: {
      rate: some(90n),
      ends: CLOCK.time + random.index(10_000) - 5_000,
      updated: CLOCK.time - 5_000 - random.index(10_000),
      stored,
    },
    unlocked: random.index(4) === 0 ? 0n : some(90n),
    permanent: random.index(3) === 0 ? some(90n) : 0n,
    counters: [
      { checkpoint: checkpointA, pending: some(40n) },
      { checkpoint: checkpointB, pending: some(40n) },
      { checkpoint: random.amount(0n, stored), pending: some(40n) },
    ],
    vesting: {
      ...{ cliff: BigInt(cliff), period: BigInt(period), atCliff, perPeriod, periods },
      released: random.amount(0n, mayBeReleased),
    },
    moreVesting: random.index(4) === 0 ? some(80n) : 0n,
    countsSlots: false,
  }
}

describe('a position of Meteora DAMM v2', () => {
  it('is what it would pay, with fees, the reward and the locked part, in two trips', async () => {
    const { positions, trips } = await read()
    expect(positions.map(({ label }) => label)).toEqual(['DAMM v2', 'DAMM v2, vesting', 'DAMM v2, locked'])
    expect(trips).toBe(2)
    // 100 of 300 periods have passed since the cliff was released: 98765432109 + 100 · 12345678, times the price over
    // 2^64, and over the price.
    const free = 98_765_432_109n + 1_234_567_800n
    const [sol, usdc] = amountsOf(positions[0]?.supplied)
    expect(usdc).toBe((free * (7_144_393_000_000_000_000n - 4_295_048_016n)) >> 64n)
    expect(sol).toBe(((free << 64n) * (figures.sqrtMax - figures.sqrtPrice)) / (figures.sqrtPrice * figures.sqrtMax))
    expect(positions[1]?.unlockAt).toBe(CLOCK.time + 199_500)
  })

  it('agrees with the library of Meteora over any figures', async () => {
    const random = seededRandom('DAMM v2')
    for (let round = 0; round < ROUNDS; round += 1) {
      const { figures: found, expected } = await read(randomFigures(random))
      expect(found, `seed ${random.seed}, round ${round}`).toEqual(expected)
    }
  })

  it('has a part of what a pool holds that adds its fees to its liquidity', async () => {
    const half = { liquidity: 3_000n, unlocked: 1_000n, isCompounding: true, reserves: [1_001n, 2_003n] as const }
    const {
      positions,
      figures: found,
      expected,
    } = await read({
      ...half,
      permanent: 0n,
      vesting: { ...figures.vesting, atCliff: 0n, perPeriod: 0n, released: 0n },
    })
    expect(found).toEqual(expected)
    expect(amountsOf(positions[0]?.supplied)).toEqual([333n, 667n])
  })

  it('says when all of it is free, by the time or by the slot, and nothing where that is written elsewhere', async () => {
    const start = { ...figures.vesting, cliff: CLOCK.slot + 1_000n, period: 10n, periods: 30, released: 0n }
    const bySlot = await read({ countsSlots: true, vesting: start, moreVesting: 5n << 100n })
    expect(bySlot.figures).toEqual(bySlot.expected)
    // 1,300 slots of 0.4 seconds.
    expect(bySlot.positions.map(({ unlockAt }) => unlockAt)).toEqual([
      undefined,
      CLOCK.time + 520,
      undefined,
      Number.MAX_SAFE_INTEGER,
    ])
  })

  it('has a reward up to its end, and no growth of it while the pool is empty', async () => {
    const jup = async (change: Partial<DammFigures>) =>
      (await read(change)).positions[0]?.rewards.find(({ token }) => token === JUP)?.amountRaw ?? 0n
    const { reward } = figures
    const ended = await jup({ reward: { ...reward, ends: reward.updated } })
    expect(await jup({ liquidity: 0n })).toBe(ended)
    const liquidity = 98_765_432_109n + 8_765_432_109n + 300n * 12_345_678n
    const more = ((12_345n * 3_000n * liquidity) << 64n) / figures.liquidity
    const got = (await jup({})) - ended
    expect(got).toBeGreaterThanOrEqual(more - 1n)
    expect(got).toBeLessThanOrEqual(more + 1n)
  })

  it('with nothing in it is none', async () => {
    const empty = { ...figures.vesting, atCliff: 0n, perPeriod: 0n, released: 0n }
    const { positions } = await read({
      ...{ unlocked: 0n, permanent: 0n, vesting: empty, counters: [nothing, nothing, nothing] },
    })
    expect(positions).toEqual([])
  })

  it('is not believed of another NFT, in an unknown mode or version, or with more released than locked', async () => {
    await expectRefused(meteoraDamm, fixture(WALLET, CLOCK), [
      [0, 40, 1],
      [1, 484, 3],
      [1, 696, 2],
      [0, 312 + 48 + 15, 1],
    ])
  })
})
