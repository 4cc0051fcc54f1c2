import { type KaminoFigures, kaminoFigures, kaminoLend as kaminoFixture } from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import {
  amountsOf,
  CLOCK,
  INVALID,
  positionsOf,
  readFixture,
  WALLET,
} from '../../../../../test/solana/protocol-bench.ts'
import { kaminoLend } from './adapter.ts'

const SLOT = CLOCK.slot
const ONE_SF = 1n << 60n

const read = (change: Partial<KaminoFigures>, used?: string[]) =>
  readFixture(kaminoLend, kaminoFixture(WALLET, { ...kaminoFigures(SLOT), ...change }), { ...(used && { used }) })

describe('obligations of Kamino', () => {
  it('are what the reserves redeem and ask for at the slot of the clock', async () => {
    const random = seededRandom('Kamino')
    for (let i = 0; i < 100; i++) {
      const reserve = () => {
        const middle = random.amount(1n, 9_999n)
        const low = random.amount(0n, 3_000n)
        const fees = random.amount(0n, 2n ** 30n) * ONE_SF
        return {
          lastSlot: SLOT - random.amount(0n, 3_000_000n),
          available: random.amount(2n ** 33n, 2n ** 60n),
          borrowedSf: random.amount(1n, 2n ** 58n) * ONE_SF + random.amount(0n, ONE_SF),
          feesSf: fees,
          collateralSupply: random.amount(2n ** 30n, 2n ** 60n),
          cumulativeRateSf: ONE_SF + random.amount(0n, ONE_SF),
          priceSf: random.amount(1n, 2n ** 77n),
          hostRateBps: random.amount(0n, 300n),
          takeRatePct: random.amount(0n, 100n),
          curve: [
            [0n, 0n],
            [middle, low],
            [10_000n, low + random.amount(0n, 20_000n)],
          ] as [bigint, bigint][],
          thresholdPct: random.amount(1n, 95n),
          borrowFactorPct: random.amount(100n, 300n),
        }
      }
      const { figures, expected, trips } = await read({
        kind: random.pick(['vanilla', 'multiply', 'leverage'] as const),
        slot: SLOT,
        elevated: random.pick([true, false]),
        collateral: random.amount(1n, 2n ** 50n),
        debtSf: random.amount(0n, 1n) * random.amount(1n, 2n ** 108n),
        debtRateSf: ONE_SF,
        sol: reserve(),
        usdc: reserve(),
      })
      expect(figures).toEqual(expected)
      expect(trips).toBe(2)
    }
  })

  it('do not move while no slot has passed', async () => {
    const figures = kaminoFigures(SLOT)
    const sol = { ...figures.sol, lastSlot: SLOT, available: 3n, borrowedSf: ONE_SF, feesSf: 0n, collateralSupply: 2n }
    const usdc = { ...figures.usdc, lastSlot: SLOT + 9n, cumulativeRateSf: 3n * ONE_SF }
    // Four tokens for two of collateral: 7 are 14. A debt of 5 at rate 2 is 7.5 at rate 3.
    const debt = { debtSf: 5n * ONE_SF, debtRateSf: 2n * ONE_SF }
    const { positions } = await read({ ...debt, collateral: 7n, sol, usdc })
    expect([amountsOf(positions[0]?.supplied), amountsOf(positions[0]?.borrowed)]).toEqual([[14n], [8n]])
  })

  it('of the plain kind are found without a search, the others by one', async () => {
    const plain = await read({}, [])
    expect(plain.figures).toEqual(plain.expected)
    expect([plain.positions[0]?.label, plain.searched]).toEqual(['Main Market', []])
    const multiply = await read({ kind: 'multiply' }, [])
    expect(multiply.positions).toEqual([])
    const found = await positionsOf(kaminoLend, { accounts: [...plain.accounts, ...multiply.accounts] })
    expect(found.positions.map(({ label }) => label).sort()).toEqual(['Main Market', 'Main Market Multiply'])
  })

  it('that are empty are left out, and a wallet without any costs one trip', async () => {
    const { positions, trips } = await read({ collateral: 0n, debtSf: 0n })
    expect([positions, trips]).toEqual([[], 1])
  })

  it('are not believed of a version that is not known', async () => {
    const unknown = kaminoFixture(WALLET, kaminoFigures(SLOT), 2n)
    await expect(readFixture(kaminoLend, unknown)).rejects.toEqual(INVALID)
  })
})
