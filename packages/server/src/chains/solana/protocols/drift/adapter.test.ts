import {
  type DriftFigures,
  type DriftMargin,
  driftFigures,
  drift as driftFixture,
  driftLiquidationPrice,
  driftMargin,
} from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import { expectRefused, INVALID, readFixture, WALLET } from '../../../../../test/solana/protocol-bench.ts'
import { drift } from './adapter.ts'

const read = (figures: Partial<DriftFigures> = {}) =>
  readFixture(drift, driftFixture(WALLET, { ...driftFigures, ...figures }))

const randomMargin = (random: ReturnType<typeof seededRandom>): DriftMargin => {
  const between = (low: number, high: number) => Number(random.amount(BigInt(low), BigInt(high)))
  return {
    solPrice: random.amount(1n, 2n ** 30n),
    usdcPrice: random.amount(900_000n, 1_100_000n),
    assetWeight: between(0, 10_000),
    liabilityWeight: between(10_000, 20_000),
    spotImf: random.pick([0, between(1, 100_000)]),
    perpImf: random.pick([0, between(1, 100_000)]),
    ratio: between(1, 5_000),
    highLeverageRatio: random.pick([0, between(1, 1_000)]),
    profitWeight: between(0, 10_000),
    mode: random.pick(['Default', 'HighLeverage', 'HighLeverageMaintenance']),
    contract: 'Perpetual',
    solOracle: random.pick(['same', 'other']),
    isIsolated: random.pick([true, false]),
  }
}

const liquidationOf = async (figures: Partial<DriftFigures>) => {
  const { positions } = await read(figures)
  return positions.find(({ kind }) => kind === 'perpetuals')?.perpetual?.liquidationPriceRaw
}

describe('accounts of Drift', () => {
  it('are what the SDK says of them', async () => {
    const random = seededRandom('Drift')
    const signed = (high: bigint) => random.amount(0n, 1n) * (random.amount(0n, high) - high / 2n)
    for (let i = 0; i < 60; i++) {
      const shares = random.amount(0n, 2n ** 60n)
      const { figures, expected, trips, searched } = await read({
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
        margin: { ...randomMargin(random), contract: random.pick(['Perpetual', 'Prediction'] as const) },
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
      expect(figures).toEqual(expected)
      expect([trips <= 2, searched]).toEqual([true, []])
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
    // Two SOL at 150 for 290 paid, less 4 USDC of funding on each: 2 USDC.
    const long = await read({ perp, perpMarket })
    // A former liquidity provider has a negative leftover in the field of an isolated position's deposit.
    const leftover = await read({ perp: { ...perp, isolated: 2n ** 64n - 5_000_000n }, perpMarket })
    expect(leftover.positions).toEqual(long.positions)
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

  it('are liquidated where the SDK says, by themselves or with all of the sub-account', async () => {
    const random = seededRandom('Drift liquidation')
    let priced = 0
    for (let i = 0; i < 200; i++) {
      const base = random.pick([1n, -1n]) * random.amount(1n, 2n ** 40n)
      const price = random.amount(1n, 2n ** 30n)
      const figures: DriftFigures = {
        ...driftFigures,
        depositScaled: random.amount(1n, 2n ** 40n),
        debtScaled: random.amount(0n, 1n) * random.amount(1n, 2n ** 36n),
        perp: { base, quote: -(base * price) / 10n ** 9n, funding: 0n, isolated: random.amount(0n, 2n ** 40n) },
        perpMarket: { ...driftFigures.perpMarket, price },
        margin: randomMargin(random),
      }
      const expected = driftLiquidationPrice(figures)
      expect(await liquidationOf(figures)).toBe(expected ? expected * 10n ** 12n : undefined)
      if (expected) priced += 1
    }
    expect(priced).toBeGreaterThan(50)
  })

  it('are liquidated where their margin ends, and say how much of it they use', async () => {
    const perp = { base: 2_000_000_000n, quote: -300_000_000n, funding: 0n, isolated: 60_000_000_000n }
    const margin = { ...driftMargin, usdcPrice: 1_000_000n, perpImf: 0, isIsolated: true }
    const perpMarket = { ...driftFigures.perpMarket, price: 150_000_000n, fundingLong: 0n }
    const interest = { depositInterest: 10n ** 10n, borrowInterest: 10n ** 10n }
    const { positions } = await read({ ...interest, perp, perpMarket, margin, debtScaled: 0n, depositScaled: 0n })
    // 60 USDC back two SOL at 150, with a maintenance margin of 5 %: 60 - 2 × fall = 0.05 × 2 × (150 - fall), fall = 45
    // ÷ 1.9.
    expect(positions.find(({ kind }) => kind === 'perpetuals')).toMatchObject({
      healthFactorRaw: 4n * 10n ** 18n,
      perpetual: {
        marginUsedRaw: 60n * 10n ** 18n,
        leverageRaw: 5n * 10n ** 18n,
        liquidationPriceRaw: 126_315_790n * 10n ** 12n,
      },
    })
  })

  it('have no liquidation price where the SDK takes another than the oracle, or none', async () => {
    for (const margin of [{ contract: 'Prediction' }, { solOracle: 'scaled' }, { solPrice: 0n }] as const)
      expect(await liquidationOf({ margin: { ...driftMargin, ...margin } })).toBeUndefined()
    expect(await liquidationOf({ margin: driftMargin })).toBeDefined()
    expect(await liquidationOf({ perpMarket: { ...driftFigures.perpMarket, isSettled: true } })).toBeUndefined()
  })

  it('are an error if the wallet has more sub-accounts than are read, or their number is unknown', async () => {
    await expect(read({ subAccounts: 17 })).rejects.toEqual(INVALID)
    await expectRefused(drift, driftFixture(WALLET), [[1, 0, 0]])
  })
})
