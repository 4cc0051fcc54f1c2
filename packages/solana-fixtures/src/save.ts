import { PublicKey } from '@solana/web3.js'
import {
  ObligationCollateralLayout,
  ObligationLayout,
  ObligationLiquidityLayout,
} from '@solendprotocol/solend-sdk/state/obligation.js'
import { ReserveLayout } from '@solendprotocol/solend-sdk/state/reserve.js'
import BN from 'bn.js'
import { addressOf, USDC, WRAPPED_SOL } from './addresses.ts'
import { type Fixture, fixtureAccount, position } from './fixture.ts'

const PROGRAM = 'So1endDq2YkqhipRh3WViPa8hdiSpxWy6z3Z6tMCpAo'
const MAIN_POOL = '4UpD2fh7xH3VP9QQaXtsS1YY3bxzWhtfpks7FatyKvdY'
const WAD = 10n ** 18n

type SaveReserveFigures = {
  available: bigint
  borrowedWads: bigint
  feesWads: bigint
  collateralSupply: bigint
  rateWads: bigint
  priceWads: bigint
  thresholdPct: number
  addedWeightBps: bigint
}

export type SaveFigures = {
  collateral: bigint
  debtWads: bigint
  debtRateWads: bigint
  sol: SaveReserveFigures
  usdc: SaveReserveFigures
}

const reserveFigures: SaveReserveFigures = {
  available: 512_345_678_901_234n,
  borrowedWads: 1_123_456_789_012_345n * WAD + 777n,
  feesWads: 123_456_789n * WAD,
  collateralSupply: 1_454_321_098_765_432n,
  rateWads: (WAD * 1_345_678n) / 1_000_000n,
  priceWads: 187n * WAD + WAD / 3n,
  thresholdPct: 75,
  addedWeightBps: 0n,
}

export const saveFigures: SaveFigures = {
  collateral: 8_345_678_901n,
  debtWads: 232_109_876n * WAD + 7n,
  debtRateWads: (WAD * 1_200_000n) / 1_000_000n,
  sol: reserveFigures,
  usdc: { ...reserveFigures, priceWads: WAD, addedWeightBps: 1_000n },
}

type Layout = { span: number; encode(value: object, buffer: Buffer): number }
type Shape = { fields?: { property?: string; span: number; fields?: unknown }[] }

const big = (value: bigint) => new BN(value.toString())
const key = (value: string) => new PublicKey(value)

/** Fills a layout's other fields with zeros. */
const complete = (layout: object, given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    ((layout as Shape).fields ?? []).map((field) => {
      const name = field.property ?? ''
      return [name, given[name] ?? zeroOf(field)]
    }),
  )

const zeroOf = (field: { property?: string; span: number; fields?: unknown }): unknown => {
  if (field.fields) return complete(field, {})
  const sample = Buffer.alloc(field.span)
  return (field as unknown as { decode(buffer: Buffer): unknown }).decode(sample)
}

const encoded = (layout: object, given: Record<string, unknown>): Buffer => {
  const buffer = Buffer.alloc((layout as Layout).span)
  ;(layout as Layout).encode(complete(layout, given), buffer)
  return buffer
}

const reserveData = (mint: string, decimals: number, figures: SaveReserveFigures, version: number): Buffer =>
  encoded(ReserveLayout, {
    version,
    lendingMarket: key(MAIN_POOL),
    liquidityMintPubkey: key(mint),
    liquidityMintDecimals: decimals,
    liquidityAvailableAmount: big(figures.available),
    liquidityBorrowedAmountWads: big(figures.borrowedWads),
    liquidityCumulativeBorrowRateWads: big(figures.rateWads),
    liquidityMarketPrice: big(figures.priceWads),
    collateralMintTotalSupply: big(figures.collateralSupply),
    liquidationThreshold: figures.thresholdPct,
    accumulatedProtocolFeesWads: big(figures.feesWads),
    addedBorrowWeightBPS: big(figures.addedWeightBps),
  })

const obligationData = (wallet: string, figures: SaveFigures, reserves: [string, string], version: number): Buffer => {
  const deposit = encoded(ObligationCollateralLayout, {
    depositReserve: key(reserves[0]),
    depositedAmount: big(figures.collateral),
  })
  const borrow = encoded(ObligationLiquidityLayout, {
    borrowReserve: key(reserves[1]),
    cumulativeBorrowRateWads: big(figures.debtRateWads),
    borrowedAmountWads: big(figures.debtWads),
  })
  const dataFlat = Buffer.alloc(1096)
  Buffer.concat([deposit, borrow]).copy(dataFlat)
  return encoded(ObligationLayout, {
    version,
    lendingMarket: key(MAIN_POOL),
    owner: key(wallet),
    depositsLen: 1,
    borrowsLen: 1,
    dataFlat,
  })
}

/** `versions`: obligation, reserves. */
export const save = async (wallet: string, figures: SaveFigures = saveFigures, versions = [1, 1]): Promise<Fixture> => {
  const [ofObligation = 1, ofReserves = 1] = versions
  const reserves: [string, string] = [addressOf('Save SOL reserve'), addressOf('Save USDC reserve')]
  const [sol, usdc] = [figures.sol, figures.usdc]
  const accounts = [
    fixtureAccount(addressOf(`Save of ${wallet}`), PROGRAM, obligationData(wallet, figures, reserves, ofObligation)),
    fixtureAccount(reserves[0], PROGRAM, reserveData(WRAPPED_SOL, 9, sol, ofReserves)),
    fixtureAccount(reserves[1], PROGRAM, reserveData(USDC, 6, usdc, ofReserves)),
  ]
  // A collateral token is its share of available plus lent amounts less the protocol's fees.
  const supplyWads = sol.available * WAD + sol.borrowedWads - sol.feesWads
  const supplied = (figures.collateral * supplyWads) / (sol.collateralSupply * WAD)
  const owedWads = (figures.debtWads * usdc.rateWads) / figures.debtRateWads
  const isWhole = (figures.debtWads * usdc.rateWads) % (figures.debtRateWads * WAD) === 0n
  const owed = owedWads / WAD + (isWhole ? 0n : 1n)
  const lendable = supplied * sol.priceWads * BigInt(sol.thresholdPct) * 100n
  const weight = 10_000n + usdc.addedWeightBps
  const health = (lendable * WAD) / (owed * usdc.priceWads * weight * 1_000n || 1n)
  const expected = position('lending', {
    supplied: figures.collateral > 0n ? [{ token: WRAPPED_SOL, amountRaw: supplied }] : [],
    borrowed: owed > 0n ? [{ token: USDC, amountRaw: owed }] : [],
    ...(owed > 0n && { healthFactorRaw: health }),
  })
  return { accounts, held: [], expected: figures.collateral + figures.debtWads > 0n ? [expected] : [] }
}
