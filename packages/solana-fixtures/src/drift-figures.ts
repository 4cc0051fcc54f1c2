import { addressOf } from './addresses.ts'

/** Insurance fund, in seconds. */
export const UNSTAKING_PERIOD = 1_123_200n

/**
 * Prices have 6 decimals, weights and ratios 4. `solOracle`: whether the SOL market shares the perpetual's oracle and
 * units.
 */
export type DriftMargin = {
  solPrice: bigint
  usdcPrice: bigint
  assetWeight: number
  liabilityWeight: number
  spotImf: number
  perpImf: number
  ratio: number
  highLeverageRatio: number
  profitWeight: number
  mode: 'Default' | 'HighLeverage' | 'HighLeverageMaintenance'
  contract: 'Perpetual' | 'Prediction'
  solOracle: 'same' | 'scaled' | 'other'
  isIsolated: boolean
}

export const driftMargin: DriftMargin = {
  solPrice: 187_600_000n,
  usdcPrice: 999_876n,
  assetWeight: 9_000,
  liabilityWeight: 11_000,
  spotImf: 3_000,
  perpImf: 450,
  ratio: 500,
  highLeverageRatio: 0,
  profitWeight: 10_000,
  mode: 'Default',
  contract: 'Perpetual',
  solOracle: 'same',
  isIsolated: false,
}

export type DriftFigures = {
  subAccounts: number
  depositScaled: bigint
  debtScaled: bigint
  depositInterest: bigint
  borrowInterest: bigint
  /** `entry`: `quote` without fees and settlements, the default. */
  perp: { base: bigint; quote: bigint; entry?: bigint; funding: bigint; isolated: bigint }
  margin: DriftMargin
  perpMarket: { price: bigint; fundingLong: bigint; fundingShort: bigint; expiryPrice: bigint; isSettled: boolean }
  stake: {
    shares: bigint
    requested: bigint
    promised: bigint
    requestTime: bigint
    totalShares: bigint
    vault: bigint
  }
}

export const driftFigures: DriftFigures = {
  subAccounts: 1,
  depositScaled: 12_345_678_901n,
  debtScaled: 3_210_987_654n,
  depositInterest: 11_234_567_890n,
  borrowInterest: 12_345_678_901n,
  perp: { base: 2_500_000_000n, quote: -410_000_000n, funding: 1_000_000_000n, isolated: 0n },
  margin: driftMargin,
  perpMarket: {
    price: 187_654_321n,
    fundingLong: 4_321_000_000n,
    fundingShort: 4_000_000_000n,
    expiryPrice: 0n,
    isSettled: false,
  },
  stake: {
    shares: 5_000_000_000n,
    requested: 1_000_000_000n,
    promised: 1_050_000_000n,
    requestTime: 1_789_500_000n,
    totalShares: 900_000_000_000n,
    vault: 987_654_321_012n,
  },
}

export const PERP_ORACLE = addressOf('oracle of SOL')
/** SOL market. USDC's is 0. */
export const SOL = 1
export const priceOf = (at: number, { margin }: DriftFigures) => (at === SOL ? margin.solPrice : margin.usdcPrice)
export const oracleOf = (at: number, { margin }: DriftFigures) =>
  at === SOL && margin.solOracle !== 'other' ? PERP_ORACLE : addressOf(`oracle of market ${at}`)
export const sourceOf = (at: number, { margin }: DriftFigures) =>
  at === SOL && margin.solOracle === 'scaled' ? 'Pyth1KPull' : 'PythPull'
