import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Obligation } from '@kamino-finance/klend-sdk/dist/@codegen/klend/accounts/Obligation.js'
import { Reserve } from '@kamino-finance/klend-sdk/dist/@codegen/klend/accounts/Reserve.js'
import { bfToDecimal, Fraction } from '@kamino-finance/klend-sdk/dist/classes/fraction.js'
import { Decimal } from 'decimal.js'
import { addressBytes, addressOf, derived, USDC, WRAPPED_SOL } from './addresses.ts'
import { type Fixture, fixtureAccount, position } from './fixture.ts'
import { anchorData, type Idl } from './layout.ts'

const require = createRequire(import.meta.url)
const idl = JSON.parse(readFileSync(require.resolve('@kamino-finance/klend-sdk/dist/idl/klend.json'), 'utf8')) as Idl

const PROGRAM = 'KLend2g3cP87fffoy8q1mQqGKjrxjC8boSyAYavgmjD'
const MAIN_MARKET = '7u3HeHxYDLhnCoErrtycNokbQYbWGzLs6JSDqGAv5PfF'

const Exact = Decimal.clone({ precision: 120 })
type Exact = Decimal

/** Rates and shares in the units of the program's configuration. */
export type KaminoReserveFigures = {
  lastSlot: bigint
  available: bigint
  borrowedSf: bigint
  feesSf: bigint
  collateralSupply: bigint
  cumulativeRateSf: bigint
  priceSf: bigint
  hostRateBps: bigint
  takeRatePct: bigint
  /** Utilisation and rate in basis points, 0 to 10,000. */
  curve: [bigint, bigint][]
  thresholdPct: bigint
  borrowFactorPct: bigint
}

export type KaminoFigures = {
  kind: 'vanilla' | 'multiply' | 'leverage'
  slot: bigint
  /** Thresholds of group 1 for both reserves. */
  elevated: boolean
  collateral: bigint
  debtSf: bigint
  debtRateSf: bigint
  sol: KaminoReserveFigures
  usdc: KaminoReserveFigures
}

const ONE_SF = 1n << 60n

const reserveFigures: KaminoReserveFigures = {
  lastSlot: 388_799_000n,
  available: 812_345_678_901_234n,
  borrowedSf: 2_123_456_789_012_345n * ONE_SF + 12_345n,
  feesSf: 1_234_567_890n * ONE_SF,
  collateralSupply: 2_654_321_098_765_432n,
  cumulativeRateSf: (ONE_SF * 1_234_567n) / 1_000_000n,
  priceSf: 187n * ONE_SF + ONE_SF / 3n,
  hostRateBps: 50n,
  takeRatePct: 15n,
  curve: [
    [0n, 0n],
    [7_000n, 500n],
    [9_000n, 1_200n],
    [10_000n, 15_000n],
  ],
  thresholdPct: 78n,
  borrowFactorPct: 100n,
}

export const kaminoFigures = (slot: bigint): KaminoFigures => ({
  kind: 'vanilla',
  slot,
  elevated: false,
  collateral: 12_345_678_901n,
  debtSf: 432_109_876n * ONE_SF + 7n,
  debtRateSf: (ONE_SF * 1_200_000n) / 1_000_000n,
  sol: { ...reserveFigures, lastSlot: slot - 777n },
  usdc: { ...reserveFigures, lastSlot: slot - 3n, priceSf: ONE_SF, thresholdPct: 80n, borrowFactorPct: 105n },
})

const words = (value: bigint) => ({ value: [0n, 64n, 128n, 192n].map((bits) => (value >> bits) & (2n ** 64n - 1n)) })

export const reserveData = (
  mint: string,
  decimals: bigint,
  figures: KaminoReserveFigures,
  version = 1n,
): Uint8Array => {
  const points = figures.curve.map(([utilizationRateBps, borrowRateBps]) => ({ utilizationRateBps, borrowRateBps }))
  const last = points.at(-1)
  return anchorData(idl, 'Reserve', {
    version,
    lastUpdate: { slot: figures.lastSlot },
    lendingMarket: MAIN_MARKET,
    liquidity: {
      mintPubkey: mint,
      totalAvailableAmount: figures.available,
      borrowedAmountSf: figures.borrowedSf,
      marketPriceSf: figures.priceSf,
      mintDecimals: decimals,
      cumulativeBorrowRateBsf: words(figures.cumulativeRateSf),
      accumulatedProtocolFeesSf: figures.feesSf,
      accumulatedReferrerFeesSf: figures.feesSf / 7n,
      pendingReferrerFeesSf: figures.feesSf / 11n,
    },
    collateral: { mintTotalSupply: figures.collateralSupply },
    config: {
      hostFixedInterestRateBps: figures.hostRateBps,
      protocolTakeRatePct: figures.takeRatePct,
      liquidationThresholdPct: figures.thresholdPct,
      borrowFactorPct: figures.borrowFactorPct,
      elevationGroups: Uint8Array.of(1),
      borrowRateCurve: { points: Array.from({ length: 11 }, (_, index) => points[index] ?? last) },
    },
  })
}

const sf = (value: { toString(): string }) => new Exact(value.toString()).div(new Exact(2).pow(60))

const curveRate = (curve: { utilizationRateBps: number; borrowRateBps: number }[], utilisation: Exact): Exact => {
  const x = Exact.min(utilisation, 1).mul(10_000)
  const index = curve.findIndex((point, i) => i > 0 && x.lte(point.utilizationRateBps))
  const [low, high] = [curve[index - 1], curve[index]]
  if (!low || !high) throw new Error('the curve ends too early')
  const slope = new Exact(high.borrowRateBps - low.borrowRateBps).div(high.utilizationRateBps - low.utilizationRateBps)
  return x.sub(low.utilizationRateBps).mul(slope).add(low.borrowRateBps).div(10_000)
}

/** First terms of (1 + rate ÷ slots per year)^`slots`. Exact up to four slots. */
const compounded = (rate: Exact, slots: number): Exact => {
  const base = rate.div(63_072_000)
  if (slots < 5) return base.add(1).pow(slots)
  const second = base.pow(2).mul(new Exact(slots).mul(slots - 1).div(2))
  const third = base.pow(3).mul(
    new Exact(slots)
      .mul(slots - 1)
      .mul(slots - 2)
      .div(6),
  )
  return base.mul(slots).add(second).add(third).add(1)
}

/** Accrued like the program's refresh. */
export const accrued = (data: Uint8Array, slot: bigint) => {
  const { liquidity, collateral, config, lastUpdate } = Reserve.decode(Buffer.from(data))
  const slots = Math.max(0, Number(slot) - lastUpdate.slot.toNumber())
  const borrowed = sf(liquidity.borrowedAmountSf)
  const fees = [
    liquidity.accumulatedProtocolFeesSf,
    liquidity.accumulatedReferrerFeesSf,
    liquidity.pendingReferrerFeesSf,
  ]
  const supply = fees.reduce(
    (left: Exact, fee) => left.sub(sf(fee)),
    new Exact(liquidity.totalAvailableAmount.toString()).add(borrowed),
  )
  const host = new Exact(config.hostFixedInterestRateBps).div(10_000)
  const growth = compounded(curveRate(config.borrowRateCurve.points, borrowed.div(supply)).add(host), slots)
  const hostFee = borrowed.mul(compounded(host, slots).sub(1))
  const variable = borrowed.mul(growth.sub(1)).sub(hostFee)
  const after = supply.add(variable.mul(100 - config.protocolTakeRatePct).div(100))
  return {
    perCollateral: after.div(collateral.mintTotalSupply.toString()),
    rate: new Exact(bfToDecimal(liquidity.cumulativeBorrowRateBsf).toString()).mul(growth),
  }
}

const integer = (value: Exact) => BigInt(value.toFixed(0))

const SEEDS = { vanilla: 0, multiply: 1, leverage: 3 } as const

const obligationAddress = (wallet: string, kind: KaminoFigures['kind']): Promise<string> => {
  const none = new Uint8Array(32)
  const pair = kind === 'vanilla' ? [none, none] : [WRAPPED_SOL, USDC].map(addressBytes)
  return derived(PROGRAM, [Uint8Array.of(SEEDS[kind], 0), addressBytes(wallet), addressBytes(MAIN_MARKET), ...pair])
}

export const kaminoLend = async (wallet: string, figures: KaminoFigures, version = 1n): Promise<Fixture> => {
  const [solReserve, usdcReserve] = [addressOf('Kamino SOL reserve'), addressOf('Kamino USDC reserve')]
  const sol = reserveData(WRAPPED_SOL, 9n, figures.sol, version)
  const usdc = reserveData(USDC, 6n, figures.usdc, version)
  const obligation = anchorData(idl, 'Obligation', {
    tag: BigInt(SEEDS[figures.kind]),
    lendingMarket: MAIN_MARKET,
    owner: wallet,
    deposits: [{ depositReserve: solReserve, depositedAmount: figures.collateral }],
    borrows:
      figures.debtSf === 0n
        ? []
        : [
            {
              borrowReserve: usdcReserve,
              cumulativeBorrowRateBsf: words(figures.debtRateSf),
              borrowedAmountSf: figures.debtSf,
            },
          ],
    elevationGroup: figures.elevated ? 1 : 0,
  })
  const market = anchorData(idl, 'LendingMarket', {
    version: 1n,
    elevationGroups: [{ id: 1, liquidationThresholdPct: 92 }],
    name: new TextEncoder().encode('Main Market'),
  })
  const accounts = [
    fixtureAccount(await obligationAddress(wallet, figures.kind), PROGRAM, obligation),
    fixtureAccount(solReserve, PROGRAM, sol),
    fixtureAccount(usdcReserve, PROGRAM, usdc),
    fixtureAccount(MAIN_MARKET, PROGRAM, market),
  ]
  return { accounts, held: [], expected: [expectedOf(obligation, sol, usdc, figures)] }
}

const expectedOf = (data: Uint8Array, sol: Uint8Array, usdc: Uint8Array, figures: KaminoFigures) => {
  const obligation = Obligation.decode(Buffer.from(data))
  const [deposit] = obligation.deposits
  const [borrow] = obligation.borrows
  const collateral = new Exact(deposit?.depositedAmount.toString() ?? 0)
  const supplied = integer(collateral.mul(accrued(sol, figures.slot).perCollateral).floor())
  const suppliedSide = { supplied: [{ token: WRAPPED_SOL, amountRaw: supplied }] }
  if (!borrow || borrow.borrowedAmountSf.isZero()) return position('lending', suppliedSide)
  const since = new Exact(bfToDecimal(borrow.cumulativeBorrowRateBsf).toString())
  const debt = new Exact(new Fraction(borrow.borrowedAmountSf).toDecimal().toString())
  const owed = integer(debt.mul(accrued(usdc, figures.slot).rate).div(since).ceil())
  // Tokens of 9 and 6 decimals. The prices' unit cancels out.
  const threshold = figures.elevated ? 92n : figures.sol.thresholdPct
  const factor = figures.elevated ? 100n : figures.usdc.borrowFactorPct
  const lendable = supplied * figures.sol.priceSf * threshold
  const health = (lendable * 10n ** 18n) / (owed * figures.usdc.priceSf * factor * 1000n)
  return position('lending', { ...suppliedSide, borrowed: [{ token: USDC, amountRaw: owed }], healthFactorRaw: health })
}
