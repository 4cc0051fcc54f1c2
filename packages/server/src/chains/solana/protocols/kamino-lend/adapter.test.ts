import { kaminoFigures, kaminoLend as kaminoFixture } from '@coffer/solana-fixtures'
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
import { kaminoLend } from './adapter.ts'

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
const SLOT = 388_800_000n
const clock = { slot: SLOT, epoch: 900n, time: 1_790_000_000 }
const invalid = expect.objectContaining({ name: 'UpstreamError', reason: 'invalid' })
const ONE_SF = 1n << 60n

const read = async (fixture: Awaited<ReturnType<typeof kaminoFixture>>, used?: string[]) =>
  positionsOf(kaminoLend, { accounts: fixture.accounts, wallet: WALLET, clock, ...(used && { used }) })

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
      const fixture = await kaminoFixture(WALLET, {
        kind: random.pick(['vanilla', 'multiply', 'leverage'] as const),
        slot: SLOT,
        elevated: random.pick([true, false]),
        collateral: random.amount(1n, 2n ** 50n),
        debtSf: random.amount(0n, 1n) * random.amount(1n, 2n ** 108n),
        debtRateSf: ONE_SF,
        sol: reserve(),
        usdc: reserve(),
      })
      const { positions, reader } = await read(fixture)
      expect(figuresOf(positions)).toEqual(fixture.expected)
      expect(reader.trips()).toBe(2)
    }
  })

  it('do not move while no slot has passed', async () => {
    const figures = kaminoFigures(SLOT)
    const sol = { ...figures.sol, lastSlot: SLOT, available: 3n, borrowedSf: ONE_SF, feesSf: 0n, collateralSupply: 2n }
    const usdc = { ...figures.usdc, lastSlot: SLOT + 9n, cumulativeRateSf: 3n * ONE_SF }
    // Four tokens for two of collateral: 7 are 14. A debt of 5 at rate 2 is 7.5 at rate 3.
    const fixture = await kaminoFixture(WALLET, {
      ...figures,
      collateral: 7n,
      debtSf: 5n * ONE_SF,
      debtRateSf: 2n * ONE_SF,
      sol,
      usdc,
    })
    const { positions } = await read(fixture)
    expect(positions[0]?.supplied.map(({ amountRaw }) => amountRaw)).toEqual([14n])
    expect(positions[0]?.borrowed.map(({ amountRaw }) => amountRaw)).toEqual([8n])
  })

  it('of the plain kind are found without a search, the others by one', async () => {
    const plain = await kaminoFixture(WALLET, kaminoFigures(SLOT))
    const { positions, reader } = await read(plain, [])
    expect(figuresOf(positions)).toEqual(plain.expected)
    expect(positions[0]?.label).toBe('Main Market')
    expect(reader.searched).toEqual([])
    const multiply = await kaminoFixture(WALLET, { ...kaminoFigures(SLOT), kind: 'multiply' })
    expect((await read(multiply, [])).positions).toEqual([])
    const found = await read({ ...multiply, accounts: [...plain.accounts, ...multiply.accounts] })
    expect(found.positions.map(({ label }) => label).sort()).toEqual(['Main Market', 'Main Market Multiply'])
  })

  it('that are empty are left out, and a wallet without any costs one trip', async () => {
    const empty = await kaminoFixture(WALLET, { ...kaminoFigures(SLOT), collateral: 0n, debtSf: 0n })
    const { positions, reader } = await read(empty)
    expect(positions).toEqual([])
    expect(reader.trips()).toBe(1)
  })

  it('are not believed of accounts that are not what they should be', async () => {
    const fixture = await kaminoFixture(WALLET, kaminoFigures(SLOT))
    for (const { address } of fixture.accounts) {
      for (const change of [cutShort, ofAnotherProgram, ofAnotherChainType]) {
        const accounts = changed(fixture.accounts, address, change)
        await expect(read({ ...fixture, accounts }, [])).rejects.toEqual(invalid)
      }
    }
    for (const { address } of fixture.accounts.slice(1)) {
      const accounts = changed(fixture.accounts, address, () => undefined)
      await expect(read({ ...fixture, accounts })).rejects.toEqual(invalid)
    }
    await expect(read(await kaminoFixture(WALLET, kaminoFigures(SLOT), 2n))).rejects.toEqual(invalid)
  })
})
