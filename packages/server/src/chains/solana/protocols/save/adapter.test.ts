import { type SaveFigures, saveFigures, save as saveFixture } from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import { amountsOf, INVALID, readFixture, WALLET } from '../../../../../test/solana/protocol-bench.ts'
import { save } from './adapter.ts'

const WAD = 10n ** 18n

const read = (figures: Partial<SaveFigures>, versions?: number[]) =>
  readFixture(save, saveFixture(WALLET, { ...saveFigures, ...figures }, versions))

describe('obligations of Save', () => {
  it('are what the reserves owe for them, and are owed', async () => {
    const random = seededRandom('Save')
    for (let i = 0; i < 100; i++) {
      const reserve = () => ({
        available: random.amount(2n ** 40n, 2n ** 63n),
        borrowedWads: random.amount(0n, 2n ** 120n),
        feesWads: random.amount(0n, 2n ** 80n),
        collateralSupply: random.amount(1n, 2n ** 63n),
        rateWads: random.amount(WAD, 3n * WAD),
        priceWads: random.amount(1n, 2n ** 80n),
        thresholdPct: Number(random.amount(1n, 99n)),
        addedWeightBps: random.amount(0n, 20_000n),
      })
      const { figures, expected, trips } = await read({
        collateral: random.amount(0n, 1n) * random.amount(1n, 2n ** 60n),
        debtWads: random.amount(0n, 1n) * random.amount(1n, 2n ** 120n),
        debtRateWads: WAD,
        sol: reserve(),
        usdc: reserve(),
      })
      expect(figures).toEqual(expected)
      expect(trips).toBeLessThanOrEqual(2)
    }
  })

  it('round what is owed up and what is owned down', async () => {
    const sol = {
      ...saveFigures.sol,
      available: 3n,
      borrowedWads: 4n * WAD + WAD / 2n,
      feesWads: WAD,
      collateralSupply: 2n,
    }
    const usdc = { ...saveFigures.usdc, rateWads: 3n * WAD }
    // A collateral token is 3.25; 5 at rate 2 are 7.5 at rate 3.
    const { positions } = await read({ collateral: 3n, debtWads: 5n * WAD, debtRateWads: 2n * WAD, sol, usdc })
    expect(amountsOf(positions[0]?.supplied)).toEqual([9n])
    expect(amountsOf(positions[0]?.borrowed)).toEqual([8n])
  })

  it.each([[[2, 1]], [[1, 2]], [[0, 1]]])('are not believed in the versions %s', async (versions) => {
    await expect(read({}, versions)).rejects.toEqual(INVALID)
  })
})
