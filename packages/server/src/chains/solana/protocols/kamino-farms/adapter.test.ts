import { type KaminoFarmFigures, kaminoFarm, kaminoFarmFigures } from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import {
  changed,
  cutShort,
  figuresOf,
  ofAnotherChainType,
  ofAnotherProgram,
  positionsOf,
} from '../../../../../test/solana-reader-of.ts'
import { kaminoFarms } from './adapter.ts'

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
const clock = { slot: 388_800_000n, epoch: 900n, time: 1_790_000_000 }
const invalid = expect.objectContaining({ name: 'UpstreamError', reason: 'invalid' })
const WAD = 10n ** 18n

const read = async (figures: Partial<KaminoFarmFigures>) => {
  const fixture = await kaminoFarm(WALLET, { ...kaminoFarmFigures, ...figures })
  const { positions, reader } = await positionsOf(kaminoFarms, { accounts: fixture.accounts, wallet: WALLET, clock })
  return { fixture, positions, reader }
}

describe('farms of Kamino', () => {
  it('hold what is staked, and owe what they last counted', async () => {
    const random = seededRandom('Kamino farms')
    for (let i = 0; i < 100; i++) {
      const some = (high: bigint) => random.amount(0n, 1n) * random.amount(1n, high)
      const { fixture, positions, reader } = await read({
        isDelegated: random.pick([true, false]),
        active: some(2n ** 100n),
        warming: some(2n ** 100n),
        cooling: some(2n ** 100n),
        perShare: some(2n ** 80n),
        tally: some(2n ** 100n),
        unclaimed: some(2n ** 40n),
      })
      expect(figuresOf(positions)).toEqual(fixture.expected)
      expect(reader.trips()).toBeLessThanOrEqual(2)
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

  it('are searched only where the program was used', async () => {
    const { accounts } = await kaminoFarm(WALLET)
    const { positions, reader } = await positionsOf(kaminoFarms, { accounts, wallet: WALLET, clock, used: [] })
    expect([positions, reader.trips()]).toEqual([[], 0])
  })

  it('are not believed where accounts are not what they should be', async () => {
    const { accounts } = await kaminoFarm(WALLET)
    for (const change of [cutShort, ofAnotherChainType, ofAnotherProgram, () => undefined]) {
      const given = { accounts: changed(accounts, accounts[1]?.address ?? '', change), wallet: WALLET, clock }
      await expect(positionsOf(kaminoFarms, given)).rejects.toEqual(invalid)
    }
    const short = changed(accounts, accounts[0]?.address ?? '', cutShort)
    await expect(positionsOf(kaminoFarms, { accounts: short, wallet: WALLET, clock })).rejects.toEqual(invalid)
  })
})
