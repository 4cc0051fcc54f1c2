import { type MarginfiFigures, marginfiFigures, marginfi as marginfiFixture } from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import {
  changed,
  cutShort,
  figuresOf,
  ofAnotherChainType,
  ofAnotherProgram,
  positionsOf,
  solanaReaderOf,
} from '../../../../../test/solana-reader-of.ts'
import { marginfi } from './adapter.ts'

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
const clock = { slot: 388_800_000n, epoch: 900n, time: 1_790_000_000 }
const invalid = expect.objectContaining({ name: 'UpstreamError', reason: 'invalid' })
const ONE = 1n << 48n

const read = async (figures: Partial<MarginfiFigures>) => {
  const fixture = await marginfiFixture(WALLET, { ...marginfiFigures, ...figures })
  const { positions, reader } = await positionsOf(marginfi, { accounts: fixture.accounts, wallet: WALLET, clock })
  return { fixture, positions, reader }
}

describe('accounts of marginfi', () => {
  it('are shares at the value that the banks give them', async () => {
    const random = seededRandom('marginfi')
    for (let i = 0; i < 100; i++) {
      const some = () => random.amount(0n, 1n) * random.amount(1n, 2n ** 112n)
      const { fixture, positions, reader } = await read({
        assetShares: some(),
        liabilityShares: some(),
        emissions: some(),
        assetValue: random.amount(ONE, 4n * ONE),
        liabilityValue: random.amount(ONE, 4n * ONE),
        assetTag: random.amount(0n, 2n),
        lastUpdate: random.amount(marginfiFigures.health.time - 1n, marginfiFigures.health.time + 1n),
      })
      expect(figuresOf(positions)).toEqual(fixture.expected)
      expect(reader.trips()).toBeLessThanOrEqual(2)
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
    expect(positions[0]?.supplied.map(({ amountRaw }) => amountRaw)).toEqual([5n])
    expect(positions[0]?.borrowed.map(({ amountRaw }) => amountRaw)).toEqual([6n])
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

  it('are searched only for wallets that have used the program, and empty ones are left out', async () => {
    const { accounts } = await marginfiFixture(WALLET)
    const unused = await positionsOf(marginfi, { accounts, wallet: WALLET, clock, used: [] })
    expect([unused.positions, unused.reader.trips()]).toEqual([[], 0])
    const { positions, reader } = await read({ assetShares: 0n, liabilityShares: 0n, emissions: 0n })
    expect([positions, reader.trips()]).toEqual([[], 1])
  })

  it('are not believed where accounts are not what they should be', async () => {
    const { accounts } = await marginfiFixture(WALLET)
    for (const { address } of accounts.slice(1)) {
      for (const change of [cutShort, ofAnotherProgram, ofAnotherChainType, () => undefined]) {
        const given = { accounts: changed(accounts, address, change), wallet: WALLET, clock }
        await expect(positionsOf(marginfi, given)).rejects.toEqual(invalid)
      }
    }
    const short = changed(accounts, accounts[0]?.address ?? '', cutShort)
    await expect(positionsOf(marginfi, { accounts: short, wallet: WALLET, clock })).rejects.toEqual(invalid)
  })

  it('are without banks that hold shares of another protocol, which is said', async () => {
    const { accounts } = await marginfiFixture(WALLET, { ...marginfiFigures, assetTag: 3n })
    const leftOut: unknown[] = []
    const reader = solanaReaderOf(accounts, clock)
    const used = new Set(marginfi.searched)
    const read = { reader, wallet: WALLET, clock, held: [], used }
    const positions = await marginfi.positions({ ...read, leftOut: (why) => leftOut.push(why) })
    const all = (await marginfiFixture(WALLET)).expected
    expect(positions.map(({ supplied }) => supplied)).toEqual([[]])
    expect(positions.map(({ borrowed }) => borrowed)).toEqual(all.map(({ borrowed }) => borrowed))
    expect(leftOut).toEqual([invalid])
  })
})
