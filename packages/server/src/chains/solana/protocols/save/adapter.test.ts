import { type SaveFigures, saveFigures, save as saveFixture } from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import { changed, cutShort, figuresOf, ofAnotherProgram, positionsOf } from '../../../../../test/solana-reader-of.ts'
import { save } from './adapter.ts'

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
const clock = { slot: 388_800_000n, epoch: 900n, time: 1_790_000_000 }
const invalid = expect.objectContaining({ name: 'UpstreamError', reason: 'invalid' })
const WAD = 10n ** 18n

const read = async (figures: Partial<SaveFigures>, versions?: number[]) => {
  const fixture = await saveFixture(WALLET, { ...saveFigures, ...figures }, versions)
  const { positions, reader } = await positionsOf(save, { accounts: fixture.accounts, wallet: WALLET, clock })
  return { fixture, positions, reader }
}

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
      const { fixture, positions, reader } = await read({
        collateral: random.amount(0n, 1n) * random.amount(1n, 2n ** 60n),
        debtWads: random.amount(0n, 1n) * random.amount(1n, 2n ** 120n),
        debtRateWads: WAD,
        sol: reserve(),
        usdc: reserve(),
      })
      expect(figuresOf(positions)).toEqual(fixture.expected)
      expect(reader.trips()).toBeLessThanOrEqual(2)
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
    expect(positions[0]?.supplied.map(({ amountRaw }) => amountRaw)).toEqual([9n])
    expect(positions[0]?.borrowed.map(({ amountRaw }) => amountRaw)).toEqual([8n])
  })

  it('are searched only for wallets that have used the program', async () => {
    const { accounts } = await saveFixture(WALLET)
    const { positions, reader } = await positionsOf(save, { accounts, wallet: WALLET, clock, used: [] })
    expect([positions, reader.trips()]).toEqual([[], 0])
  })

  it('are not believed where accounts are not what they should be', async () => {
    const { accounts } = await saveFixture(WALLET)
    for (const { address } of accounts.slice(1)) {
      for (const change of [cutShort, ofAnotherProgram, () => undefined]) {
        const given = { accounts: changed(accounts, address, change), wallet: WALLET, clock }
        await expect(positionsOf(save, given)).rejects.toEqual(invalid)
      }
    }
    for (const versions of [
      [2, 1],
      [1, 2],
      [0, 1],
    ])
      await expect(read({}, versions)).rejects.toEqual(invalid)
  })
})
