import { type DlmmBinFigures, type DlmmFigures, dlmmFigures, meteoraDlmm as fixture } from '@coffer/solana-fixtures'
import { describe, expect, inject, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { CLOCK, expectRefused, positionsOf, readFixture, WALLET } from '../../../../../test/solana/protocol-bench.ts'
import { meteoraDlmm } from './adapter.ts'

const OTHER = '9CQQRzZ6Cjh2PSAiDzbWLzvV4jUBKzM3UVrV7hH7z1mC'
const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'
const ROUNDS = inject('deep') ? 2_000 : 30
const figures = dlmmFigures(CLOCK)

const read = (change: Partial<DlmmFigures> = {}) =>
  readFixture(meteoraDlmm, fixture(WALLET, CLOCK, { ...figures, ...change }))

function randomBin(random: Random, distance: number): DlmmBinFigures {
  const some = () => random.amount(1n, 2n ** 44n)
  const supply = random.amount(2n ** 70n, 2n ** 110n)
  const counter = (stored: bigint) => ({ complete: random.amount(0n, stored), pending: random.amount(0n, 2n ** 30n) })
  const stored = [some(), some(), some(), some()] as const
  const share = random.index(8) === 0 ? 0n : random.amount(1n, supply)
  return {
    amountX: distance < 0 ? 0n : some(),
    amountY: distance > 0 ? 0n : some(),
    ...{ supply, stored, share },
    counters: [counter(stored[0]), counter(stored[1]), counter(stored[2]), { complete: 0n, pending: 0n }],
  }
}

function randomFigures(random: Random): DlmmFigures {
  const lower = random.index(2_000) - 1_000
  const width = 1 + random.index(random.index(4) === 0 ? 200 : 70)
  // Below, inside and above the range.
  const active = lower - 5 + random.index(width + 10)
  return {
    ...{ lower, active },
    bins: Array.from({ length: width }, (_, index) => randomBin(random, lower + index - active)),
    reward: {
      rate: random.amount(0n, 2n ** 90n),
      ends: CLOCK.time + random.index(10_000) - 5_000,
      updated: CLOCK.time - 5_000 - random.index(10_000),
    },
    functionType: random.pick([0, 1, 2]),
  }
}

describe('a position of Meteora DLMM', () => {
  it('is what it would pay over its bins, with fees and rewards, in two trips', async () => {
    const { positions, trips, searched } = await read()
    // The four bins with USDC: 512345678 ÷ 17, 412345678 ÷ 13, 312345678 ÷ 11 and 212345678 ÷ 7, each rounded down.
    const usdc = 30_137_981n + 31_718_898n + 28_395_061n + 30_335_096n
    expect(positions[0]?.supplied[1]?.amountRaw).toBeLessThanOrEqual(usdc)
    expect(positions[0]?.supplied[1]?.amountRaw).toBeGreaterThanOrEqual(usdc - 4n)
    expect(positions[0]).toMatchObject({ label: '0.1%', receipts: [] })
    expect(positions[0]).not.toHaveProperty('unlockAt')
    expect([trips, searched]).toEqual([2, ['LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo']])
  })

  it('agrees with the library of Meteora over any bins, those of wide positions too', async () => {
    const random = seededRandom('DLMM')
    for (let round = 0; round < ROUNDS; round += 1) {
      const of = randomFigures(random)
      const { figures: found, expected } = await read(of)
      const isEmpty = of.bins.every(
        ({ share, counters }) => share === 0n && counters.every(({ pending }) => pending === 0n),
      )
      expect(found, `seed ${random.seed}, round ${round}`).toEqual(isEmpty ? [] : expected)
    }
  })

  it('has rewards up to their end and not where bins hold limit orders', async () => {
    const jup = async (change: Partial<DlmmFigures>) =>
      (await read(change)).positions[0]?.rewards.find(({ token }) => token === JUP)?.amountRaw
    const ended = await jup({ reward: { ...figures.reward, ends: figures.reward.updated } })
    const half = await jup({ reward: { ...figures.reward, ends: figures.reward.updated + 2_500 } })
    const whole = await jup({})
    // 123456 a second over 15, a seventh of that for the wallet's share of the active bin.
    const paid = (seconds: bigint) => (123_456n * seconds) / 15n / 7n
    for (const [amount, seconds] of [
      [half, 2_500n],
      [whole, 5_000n],
    ] as const) {
      const more = (amount ?? 0n) - (ended ?? 0n)
      expect(more).toBeLessThanOrEqual(paid(seconds))
      expect(more).toBeGreaterThanOrEqual(paid(seconds) - 2n)
    }
    expect(await jup({ functionType: 2 })).toBeUndefined()
  })

  it('has no fees that another may claim', async () => {
    const { rewards } = (await read({ feeOwner: OTHER })).positions[0] ?? {}
    expect(rewards?.map(({ token }) => token)).toEqual([JUP])
    const own = await read({ feeOwner: WALLET })
    expect(own.figures).toEqual(own.expected)
  })

  it('says until when it is locked, by the time or by the slot', async () => {
    const unlockAt = async (until: number, countsSlots: boolean) =>
      (await read({ locked: { until, countsSlots } })).positions[0]?.unlockAt
    expect(await unlockAt(CLOCK.time + 500, false)).toBe(CLOCK.time + 500)
    expect(await unlockAt(CLOCK.time - 500, false)).toBeUndefined()
    // A thousand slots of 0.4 seconds.
    expect(await unlockAt(Number(CLOCK.slot) + 1_000, true)).toBe(CLOCK.time + 400)
    expect(await unlockAt(Number(CLOCK.slot) - 1_000, true)).toBeUndefined()
  })

  it('with nothing in it is none, and one with no shares is what is pending', async () => {
    const nothing = { complete: 9n, pending: 0n }
    const emptied = figures.bins.map((bin) => ({ ...bin, share: 0n }))
    const pending = await read({ bins: emptied })
    expect(pending.figures).toEqual(pending.expected)
    const counters = [nothing, nothing, nothing, nothing] as const
    expect((await read({ bins: emptied.map((bin) => ({ ...bin, counters })) })).positions).toEqual([])
  })

  it('is only of its owner', async () => {
    const { accounts } = await fixture(WALLET, CLOCK)
    expect((await positionsOf(meteoraDlmm, { accounts, wallet: OTHER })).positions).toEqual([])
  })

  it('is not believed with more bins than allowed or stored, of an unknown function, or with another array', async () => {
    await expectRefused(meteoraDlmm, fixture(WALLET, CLOCK), [
      [0, 7_918, 1],
      [0, 7_912, 0],
      [1, 35, 3],
      [2, 8, 9],
      [2, 24, 9],
    ])
  })
})
