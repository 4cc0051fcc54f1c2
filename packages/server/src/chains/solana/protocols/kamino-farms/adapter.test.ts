import { type KaminoFarmFigures, kaminoFarm, kaminoFarmFigures } from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import { readFixture, WALLET } from '../../../../../test/solana/protocol-bench.ts'
import { kaminoFarms } from './adapter.ts'

const WAD = 10n ** 18n

const read = (figures: Partial<KaminoFarmFigures>) =>
  readFixture(kaminoFarms, kaminoFarm(WALLET, { ...kaminoFarmFigures, ...figures }))

describe('farms of Kamino', () => {
  it('hold what is staked, and owe what they last counted', async () => {
    const random = seededRandom('Kamino farms')
    for (let i = 0; i < 100; i++) {
      const some = (high: bigint) => random.amount(0n, 1n) * random.amount(1n, high)
      const { figures, expected, trips } = await read({
        isDelegated: random.pick([true, false]),
        active: some(2n ** 100n),
        warming: some(2n ** 100n),
        cooling: some(2n ** 100n),
        perShare: some(2n ** 80n),
        tally: some(2n ** 100n),
        unclaimed: some(2n ** 40n),
      })
      expect(figures).toEqual(expected)
      expect(trips).toBeLessThanOrEqual(2)
    }
  })

  it('that follow what is lent elsewhere have only rewards', async () => {
    const figures = { active: 10n, perShare: 3n * WAD, tally: 5n * WAD, unclaimed: 2n, warming: 0n, cooling: 0n }
    // Ten at three a share are 30; 5 were counted before, 2 are still unpaid.
    const delegated = await read({ ...figures, isDelegated: true })
    expect(delegated.positions[0]).toMatchObject({ supplied: [], rewards: [{ amountRaw: 27n }] })
    const staked = await read({ ...figures, active: 10n * WAD, isDelegated: false })
    expect(staked.positions[0]).toMatchObject({ supplied: [{ amountRaw: 10n }], rewards: [{ amountRaw: 27n }] })
  })
})
