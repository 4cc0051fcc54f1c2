import { type MarginfiFigures, marginfiFigures, marginfi as marginfiFixture } from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import { amountsOf, INVALID, readFixture, WALLET } from '../../../../../test/solana/protocol-bench.ts'
import { marginfi } from './adapter.ts'

const ONE = 1n << 48n

const read = (figures: Partial<MarginfiFigures> = {}) =>
  readFixture(marginfi, marginfiFixture(WALLET, { ...marginfiFigures, ...figures }))

describe('accounts of marginfi', () => {
  it('are shares at the value that the banks give them', async () => {
    const random = seededRandom('marginfi')
    for (let i = 0; i < 100; i++) {
      const some = () => random.amount(0n, 1n) * random.amount(1n, 2n ** 112n)
      const { figures, expected, trips } = await read({
        assetShares: some(),
        liabilityShares: some(),
        emissions: some(),
        assetValue: random.amount(ONE, 4n * ONE),
        liabilityValue: random.amount(ONE, 4n * ONE),
        assetTag: random.amount(0n, 2n),
        lastUpdate: random.amount(marginfiFigures.health.time - 1n, marginfiFigures.health.time + 1n),
      })
      expect(figures).toEqual(expected)
      expect(trips).toBeLessThanOrEqual(2)
    }
  })

  it('round what is owed up and what is owned down', async () => {
    // 3 shares and a half at 1.5 are 5.25.
    const shares = 3n * ONE + ONE / 2n
    const value = ONE + ONE / 2n
    const { positions } = await read({
      assetShares: shares,
      liabilityShares: shares,
      assetValue: value,
      liabilityValue: value,
    })
    expect(amountsOf(positions[0]?.supplied)).toEqual([5n])
    expect(amountsOf(positions[0]?.borrowed)).toEqual([6n])
    // 600 of weighted assets over 250 of liabilities.
    expect(positions[0]?.healthFactorRaw).toBe(2_400_000_000_000_000_000n)
  })

  it('report no health that was not updated since they changed', async () => {
    const { health } = marginfiFigures
    for (const other of [{ time: 1_789_999_998n }, { flags: 3n }, { liabilities: 0n }]) {
      const { positions } = await read({ health: { ...health, ...other } })
      expect(positions[0]).not.toHaveProperty('healthFactorRaw')
    }
  })

  it('that are empty are left out, in one trip', async () => {
    const { positions, trips } = await read({ assetShares: 0n, liabilityShares: 0n, emissions: 0n })
    expect([positions, trips]).toEqual([[], 1])
  })

  it('are without banks that hold shares of another protocol, which is said', async () => {
    const { figures, leftOut } = await read({ assetTag: 3n })
    const { expected } = await read()
    expect(figures).toMatchObject(expected.map(({ borrowed }) => ({ supplied: [], borrowed })))
    expect(leftOut).toEqual([INVALID])
  })
})
