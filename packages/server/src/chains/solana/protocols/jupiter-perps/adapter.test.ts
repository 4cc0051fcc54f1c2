import { type JupiterPerpsFigures, jupiterPerpsFigures, jupiterPerps as perpsFixture } from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import { amountsOf, expectRefused, readFixture, WALLET } from '../../../../../test/solana/protocol-bench.ts'
import { jupiterPerps } from './adapter.ts'

const read = (figures: Partial<JupiterPerpsFigures>) =>
  readFixture(jupiterPerps, perpsFixture(WALLET, { ...jupiterPerpsFigures, ...figures }))

describe('perpetuals of Jupiter', () => {
  it('are the tokens that they amount to', async () => {
    const random = seededRandom('Jupiter perpetuals')
    for (let i = 0; i < 100; i++) {
      const { figures, expected, trips } = await read({
        side: random.pick([1, 2]),
        price: random.amount(1n, 2n ** 50n),
        size: random.amount(0n, 1n) * random.amount(1n, 2n ** 60n),
        collateral: random.amount(1n, 2n ** 60n),
        snapshot: random.amount(0n, 2n ** 40n),
        cumulative: random.amount(0n, 2n ** 41n),
      })
      expect(figures).toEqual(expected)
      expect(trips).toBeLessThanOrEqual(2)
    }
  })

  it('are worth their collateral and what they won, at any price', async () => {
    // 1000 USD of SOL at 100, 200 of collateral, one hundredth of the size in interest.
    const figures = {
      price: 100_000_000n,
      size: 1_000_000_000n,
      collateral: 200_000_000n,
      snapshot: 0n,
      cumulative: 10_000_000n,
    }
    const long = await read({ ...figures, side: 1 })
    expect(amountsOf(long.positions[0]?.supplied)).toEqual([10_000_000_000n])
    expect(amountsOf(long.positions[0]?.borrowed)).toEqual([810_000_000n])
    expect(long.positions[0]?.perpetual).toEqual({
      side: 'long',
      sizeRaw: 10n * 10n ** 18n,
      entryPriceRaw: 100n * 10n ** 18n,
      marginUsedRaw: 200n * 10n ** 18n,
      leverageRaw: 5n * 10n ** 18n,
      // It must keep 1000 ÷ 500 + 1000 × 7 ÷ 10000 (6, and 1 of price impact, rounded up) + 10 of interest = 12.7 of
      // its 200.
      liquidationPriceRaw: 81_270n * 10n ** 15n,
    })
    const short = await read({ ...figures, side: 2 })
    expect(short.positions[0]?.perpetual).toMatchObject({ side: 'short', liquidationPriceRaw: 118_730n * 10n ** 15n })
    expect(amountsOf(short.positions[0]?.supplied)).toEqual([1_190_000_000n])
    expect(amountsOf(short.positions[0]?.borrowed)).toEqual([10_000_000_000n])
  })

  it('are liquidated at no price where the collateral outweighs the size', async () => {
    const { positions } = await read({ side: 1, price: 100_000_000n, size: 1_000_000n, collateral: 2_000_000n })
    expect(positions[0]?.perpetual?.liquidationPriceRaw).toBeUndefined()
  })

  it('are not believed on an unknown side', async () => {
    await expectRefused(jupiterPerps, perpsFixture(WALLET), [
      [0, 152, 0],
      [0, 152, 3],
    ])
  })
})
