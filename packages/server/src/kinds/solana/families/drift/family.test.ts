import { type DriftFigures, driftFigures, drift as driftFixture } from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import {
  changed,
  cutShort,
  figuresOf,
  ofAnotherKind,
  ofAnotherProgram,
  positionsOf,
} from '../../../../../test/solana-reader-of.ts'
import { drift } from './family.ts'

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
const clock = { slot: 388_800_000n, epoch: 900n, time: 1_790_000_000 }
const invalid = expect.objectContaining({ name: 'UpstreamError', reason: 'invalid' })

const read = async (figures: Partial<DriftFigures>) => {
  const fixture = await driftFixture(WALLET, { ...driftFigures, ...figures })
  const { positions, reader } = await positionsOf(drift, { accounts: fixture.accounts, wallet: WALLET, clock })
  return { fixture, positions, reader }
}

describe('accounts of Drift', () => {
  it('are what the SDK says of them', async () => {
    const random = seededRandom('Drift')
    const signed = (high: bigint) => random.amount(0n, 1n) * (random.amount(0n, high) - high / 2n)
    for (let i = 0; i < 60; i++) {
      const shares = random.amount(0n, 2n ** 60n)
      const { fixture, positions, reader } = await read({
        depositScaled: random.amount(0n, 1n) * random.amount(1n, 2n ** 63n),
        debtScaled: random.amount(0n, 1n) * random.amount(1n, 2n ** 63n),
        depositInterest: random.amount(10n ** 10n, 10n ** 11n),
        borrowInterest: random.amount(10n ** 10n, 10n ** 11n),
        perp: {
          base: signed(2n ** 56n),
          quote: signed(2n ** 50n),
          funding: signed(2n ** 40n),
          isolated: random.amount(0n, 2n ** 40n),
        },
        perpMarket: {
          price: random.amount(1n, 2n ** 40n),
          fundingLong: signed(2n ** 50n),
          fundingShort: signed(2n ** 50n),
          expiryPrice: random.amount(1n, 2n ** 40n),
          isSettled: random.pick([true, false]),
        },
        stake: {
          shares,
          requested: random.amount(0n, 1n) * random.amount(0n, shares),
          promised: random.amount(1n, 2n ** 60n),
          requestTime: random.amount(1_780_000_000n, 1_790_000_000n),
          totalShares: shares + random.amount(1n, 2n ** 60n),
          vault: random.amount(1n, 2n ** 63n),
        },
      })
      expect(figuresOf(positions)).toEqual(fixture.expected)
      expect(reader.trips()).toBeLessThanOrEqual(2)
      expect(reader.searched).toEqual([])
    }
  })

  it('show what a perpetual has won or lost in USDC', async () => {
    const perpMarket = {
      price: 150_000_000n,
      fundingLong: 5_000_000_000n,
      fundingShort: 0n,
      expiryPrice: 0n,
      isSettled: false,
    }
    const perp = {
      base: 2_000_000_000n,
      quote: -290_000_000n,
      entry: -288_000_000n,
      funding: 1_000_000_000n,
      isolated: 0n,
    }
    // Two SOL at 150 against 290 paid, less 4 USDC of funding on each: 2 USDC.
    const long = await read({ perp, perpMarket })
    expect(long.positions.find(({ kind }) => kind === 'perpetuals')).toMatchObject({
      label: 'SOL-PERP long',
      supplied: [{ amountRaw: 2_000_000n }],
      borrowed: [],
      // 288 of the 290 paid were the price of two SOL, the rest a fee.
      perpetual: { side: 'long', sizeRaw: 2n * 10n ** 18n, entryPriceRaw: 144n * 10n ** 18n },
    })
    const sold = { base: -2_000_000_000n, quote: 290_000_000n, entry: 290_000_001n, funding: 0n, isolated: 0n }
    const short = await read({ perp: sold, perpMarket })
    expect(short.positions.find(({ kind }) => kind === 'perpetuals')).toMatchObject({
      label: 'SOL-PERP short',
      supplied: [],
      borrowed: [{ amountRaw: 10_000_000n }],
      perpetual: { side: 'short', sizeRaw: 2n * 10n ** 18n, entryPriceRaw: 145_000_000_500_000_000_000n },
    })
  })

  it('are asked for only where the program was used, and more sub-accounts than are read are an error', async () => {
    const { accounts } = await driftFixture(WALLET)
    const { positions, reader } = await positionsOf(drift, { accounts, wallet: WALLET, clock, used: [] })
    expect([positions, reader.trips()]).toEqual([[], 0])
    await expect(read({ subAccounts: 17 })).rejects.toEqual(invalid)
    expect((await positionsOf(drift, { accounts: [], wallet: WALLET, clock })).positions).toEqual([])
  })

  it('are not believed where accounts are not what they should be', async () => {
    const { accounts } = await driftFixture(WALLET)
    for (const { address, data } of accounts) {
      const changes = data.length > 165 ? [cutShort, ofAnotherProgram, ofAnotherKind] : [cutShort, ofAnotherProgram]
      for (const change of changes) {
        const given = { accounts: changed(accounts, address, change), wallet: WALLET, clock }
        await expect(positionsOf(drift, given)).rejects.toEqual(invalid)
      }
    }
    for (const { address } of accounts.slice(3)) {
      const given = { accounts: changed(accounts, address, () => undefined), wallet: WALLET, clock }
      await expect(positionsOf(drift, given)).rejects.toEqual(invalid)
    }
  })
})
