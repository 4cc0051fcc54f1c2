import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { unstakeSharesToAmount } from '@drift-labs/sdk/lib/node/math/insurance.js'
import { calculatePositionPNL } from '@drift-labs/sdk/lib/node/math/position.js'
import { getTokenAmount } from '@drift-labs/sdk/lib/node/math/spotBalance.js'
import { User } from '@drift-labs/sdk/lib/node/user.js'
import BN from 'bn.js'
import { addressBytes, addressOf, derived, USDC, WRAPPED_SOL } from './addresses.ts'
import { type Fixture, type FixtureAccount, fixtureAccount, position } from './fixture.ts'
import { anchorData, type Idl } from './layout.ts'
import { tokenAccount } from './tokens.ts'

const require = createRequire(import.meta.url)
const idl = JSON.parse(readFileSync(require.resolve('@drift-labs/sdk/lib/node/idl/drift.json'), 'utf8')) as Idl

const PROGRAM = 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH'
const UNSTAKING_PERIOD = 1_123_200n

/**
 * What margin is worked out from. Prices have 6 decimals, weights and ratios 4. `solOracle`: whether the market of SOL asks the
 * same oracle as the perpetual, and in the same units.
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
  /** `entry`: `quote` without fees and what was settled; the same where it is not given. */
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

const big = (value: bigint) => new BN(value.toString())
const int = (value: BN) => BigInt(value.toString())
const index = (value: number) => Uint8Array.of(value & 255, value >> 8)
const text = (value: string) => new TextEncoder().encode(value)

const spotMarket = async (
  at: number,
  mint: string,
  decimals: number,
  figures: DriftFigures,
): Promise<FixtureAccount> => {
  const data = anchorData(idl, 'SpotMarket', {
    mint,
    insuranceFund: { totalShares: figures.stake.totalShares, unstakingPeriod: UNSTAKING_PERIOD },
    cumulativeDepositInterest: figures.depositInterest,
    cumulativeBorrowInterest: figures.borrowInterest,
    decimals,
    marketIndex: at,
    ...{ oracle: oracleOf(at, figures), oracleSource: sourceOf(at, figures) },
    historicalOracleData: { lastOraclePrice: priceOf(at, figures) },
    maintenanceAssetWeight: figures.margin.assetWeight,
    maintenanceLiabilityWeight: figures.margin.liabilityWeight,
    imfFactor: figures.margin.spotImf,
  })
  return fixtureAccount(await derived(PROGRAM, ['spot_market', index(at)]), PROGRAM, data)
}

const PERP_ORACLE = addressOf('oracle of SOL')
const SOL = 1
const priceOf = (at: number, { margin }: DriftFigures) => (at === SOL ? margin.solPrice : margin.usdcPrice)
const oracleOf = (at: number, { margin }: DriftFigures) =>
  at === SOL && margin.solOracle !== 'other' ? PERP_ORACLE : addressOf(`oracle of market ${at}`)
const sourceOf = (at: number, { margin }: DriftFigures) =>
  at === SOL && margin.solOracle === 'scaled' ? 'Pyth1KPull' : 'PythPull'

const perpMarket = async ({ perpMarket: market, margin }: DriftFigures): Promise<FixtureAccount> => {
  const data = anchorData(idl, 'PerpMarket', {
    amm: {
      ...{ oracle: PERP_ORACLE, oracleSource: 'PythPull' },
      historicalOracleData: { lastOraclePrice: market.price },
      cumulativeFundingRateLong: market.fundingLong,
      cumulativeFundingRateShort: market.fundingShort,
    },
    name: text('SOL-PERP'),
    expiryPrice: market.expiryPrice,
    status: market.isSettled ? 'Settlement' : 'Active',
    imfFactor: margin.perpImf,
    marginRatioMaintenance: margin.ratio,
    unrealizedPnlMaintenanceAssetWeight: margin.profitWeight,
    contractType: margin.contract,
    highLeverageMarginRatioInitial: margin.highLeverageRatio,
    highLeverageMarginRatioMaintenance: margin.highLeverageRatio,
  })
  return fixtureAccount(await derived(PROGRAM, ['perp_market', index(0)]), PROGRAM, data)
}

const owned = async (wallet: string, seeds: (string | Uint8Array)[], data: Uint8Array): Promise<FixtureAccount> => {
  const [name = '', ...rest] = seeds
  return fixtureAccount(await derived(PROGRAM, [name, addressBytes(wallet), ...rest]), PROGRAM, data)
}

const userAccounts = (wallet: string, figures: DriftFigures): Promise<FixtureAccount[]> => {
  const { perp, stake } = figures
  const user = anchorData(idl, 'User', {
    authority: wallet,
    name: text('Main Account'),
    spotPositions: [
      { scaledBalance: figures.depositScaled, marketIndex: 1, balanceType: 'Deposit' },
      { scaledBalance: figures.debtScaled, marketIndex: 0, balanceType: 'Borrow' },
    ],
    perpPositions: [
      {
        lastCumulativeFundingRate: perp.funding,
        baseAssetAmount: perp.base,
        quoteAssetAmount: perp.quote,
        quoteEntryAmount: perp.entry ?? perp.quote,
        isolatedPositionScaledBalance: perp.isolated,
        positionFlag: figures.margin.isIsolated ? 1 : 0,
      },
    ],
    marginMode: figures.margin.mode,
  })
  const stats = anchorData(idl, 'UserStats', { authority: wallet, numberOfSubAccountsCreated: figures.subAccounts })
  const insurance = anchorData(idl, 'InsuranceFundStake', {
    authority: wallet,
    ifShares: stake.shares,
    lastWithdrawRequestShares: stake.requested,
    lastWithdrawRequestValue: stake.promised,
    lastWithdrawRequestTs: stake.requestTime,
    marketIndex: 0,
  })
  return Promise.all([
    owned(wallet, ['user', index(0)], user),
    owned(wallet, ['user_stats'], stats),
    owned(wallet, ['insurance_fund_stake', index(0)], insurance),
  ])
}

/** SOL lent and USDC borrowed, a perpetual of SOL, and a stake in the insurance fund of USDC of which a part is leaving. */
export const drift = async (wallet: string, figures: DriftFigures = driftFigures): Promise<Fixture> => {
  const vault = await derived(PROGRAM, ['insurance_fund_vault', index(0)])
  const accounts = [
    ...(await userAccounts(wallet, figures)),
    await spotMarket(0, USDC, 6, figures),
    await spotMarket(1, WRAPPED_SOL, 9, figures),
    await perpMarket(figures),
    tokenAccount(vault, addressOf('Drift'), USDC, figures.stake.vault),
  ]
  return { accounts, held: [], expected: [...lent(figures), ...perpetual(figures), ...insured(figures)] }
}

const balance = (figures: DriftFigures, decimals: number, scaled: bigint, kind: 'deposit' | 'borrow'): bigint => {
  const market = {
    decimals,
    cumulativeDepositInterest: big(figures.depositInterest),
    cumulativeBorrowInterest: big(figures.borrowInterest),
  }
  return int(getTokenAmount(big(scaled) as never, market as never, { [kind]: {} } as never) as never)
}

const lent = (figures: DriftFigures) => {
  const { depositScaled, debtScaled } = figures
  if (depositScaled + debtScaled === 0n) return []
  const supplied = [{ token: WRAPPED_SOL, amountRaw: balance(figures, 9, depositScaled, 'deposit') }]
  const borrowed = [{ token: USDC, amountRaw: balance(figures, 6, debtScaled, 'borrow') }]
  return [
    position('lending', {
      supplied: depositScaled > 0n ? supplied : [],
      borrowed: debtScaled > 0n ? borrowed : [],
      ...health(figures, false),
    }),
  ]
}

const lowerFirst = (name: string) => ({ [name.slice(0, 1).toLowerCase() + name.slice(1)]: {} })

/** The sub-account as the SDK sees it. */
const sdkUser = (figures: DriftFigures): User => {
  const { margin, perp, perpMarket: market } = figures
  const oracle = (address: string) => ({ address, equals: (other: { address: string }) => other.address === address })
  const spots = [0, 1].map((at) => ({
    ...{ marketIndex: at, decimals: at === SOL ? 9 : 6 },
    ...{ oracle: oracle(oracleOf(at, figures)), oracleSource: lowerFirst(sourceOf(at, figures)) },
    cumulativeDepositInterest: big(figures.depositInterest),
    cumulativeBorrowInterest: big(figures.borrowInterest),
    ...{ maintenanceAssetWeight: margin.assetWeight, maintenanceLiabilityWeight: margin.liabilityWeight },
    imfFactor: margin.spotImf,
  }))
  const account = {
    ...{ marketIndex: 0, quoteSpotMarketIndex: 0, contractType: lowerFirst(margin.contract) },
    ...{ status: market.isSettled ? { settlement: {} } : { active: {} }, expiryPrice: big(market.expiryPrice) },
    amm: {
      ...{ oracle: oracle(PERP_ORACLE), oracleSource: { pythPull: {} }, orderStepSize: new BN(1) },
      cumulativeFundingRateLong: big(market.fundingLong),
      cumulativeFundingRateShort: big(market.fundingShort),
    },
    ...{ imfFactor: margin.perpImf, marginRatioInitial: margin.ratio, marginRatioMaintenance: margin.ratio },
    unrealizedPnlMaintenanceAssetWeight: margin.profitWeight,
    highLeverageMarginRatioInitial: margin.highLeverageRatio,
    highLeverageMarginRatioMaintenance: margin.highLeverageRatio,
  }
  const none = { openOrders: 0, openBids: new BN(0), openAsks: new BN(0) }
  const userAccount = {
    ...{ maxMarginRatio: 0, marginMode: lowerFirst(margin.mode) },
    spotPositions: [
      { ...none, scaledBalance: big(figures.depositScaled), marketIndex: 1, balanceType: { deposit: {} } },
      { ...none, scaledBalance: big(figures.debtScaled), marketIndex: 0, balanceType: { borrow: {} } },
    ],
    perpPositions: [
      {
        ...{ ...none, marketIndex: 0, maxMarginRatio: 0, positionFlag: margin.isIsolated ? 1 : 0 },
        lastCumulativeFundingRate: big(perp.funding),
        baseAssetAmount: big(perp.base),
        quoteAssetAmount: big(perp.quote),
        isolatedPositionScaledBalance: big(perp.isolated),
      },
    ],
  }
  const spotPrice = (at: number) => ({ price: big(priceOf(at, figures)) })
  const perpPrice = () => ({ price: big(market.price) })
  const driftClient = {
    getPerpMarketAccount: () => account,
    getSpotMarketAccount: (at: number) => spots[at],
    getSpotMarketAccounts: () => spots,
    getOracleDataForPerpMarket: perpPrice,
    getMMOracleDataForPerpMarket: perpPrice,
    getOracleDataForSpotMarket: spotPrice,
  }
  return Object.assign(Object.create(User.prototype), { driftClient, getUserAccount: () => userAccount })
}

const health = (figures: DriftFigures, ofIsolated: boolean) => {
  const all = sdkUser(figures).getMarginCalculation('Maintenance')
  const part = ofIsolated ? all.isolatedMarginCalculations.get(0) : all
  const [collateral, required] = [part?.totalCollateral, part?.marginRequirement].map((value) => int(value as never))
  if (!required || collateral === undefined) return {}
  return { healthFactorRaw: collateral > 0n ? (collateral * 10n ** 18n) / required : 0n }
}

/** USD with 6 decimals, by the SDK; undefined where it says -1. */
export const driftLiquidationPrice = (figures: DriftFigures): bigint | undefined => {
  const { isIsolated } = figures.margin
  const kind = isIsolated ? 'Isolated' : undefined
  const given = [0, undefined, undefined, 'Maintenance', false, undefined, false, kind] as const
  const price = int(sdkUser(figures).liquidationPrice(...(given as unknown as [number])) as never)
  return price < 0n ? undefined : price
}

const perpetual = (figures: DriftFigures) => {
  const { perp, perpMarket: market } = figures
  if (perp.base === 0n && perp.quote === 0n && perp.isolated === 0n) return []
  const account = {
    status: market.isSettled ? { settlement: {} } : { active: {} },
    expiryPrice: big(market.expiryPrice),
    amm: { cumulativeFundingRateLong: big(market.fundingLong), cumulativeFundingRateShort: big(market.fundingShort) },
  }
  const held = {
    baseAssetAmount: big(perp.base),
    quoteAssetAmount: big(perp.quote),
    lastCumulativeFundingRate: big(perp.funding),
  }
  const profit = calculatePositionPNL(account as never, held as never, true, { price: big(market.price) } as never)
  const won = int(profit as never)
  const isolated = balance(figures, 6, perp.isolated, 'deposit')
  const some = (amountRaw: bigint) => (amountRaw > 0n ? [{ token: USDC, amountRaw }] : [])
  const supplied = [...(perp.isolated > 0n ? [{ token: USDC, amountRaw: isolated }] : []), ...some(won)]
  return [position('perpetuals', { supplied, borrowed: some(-won), ...health(figures, figures.margin.isIsolated) })]
}

const insured = ({ stake }: DriftFigures) => {
  if (stake.shares === 0n) return []
  const worth = (shares: bigint) =>
    int(
      unstakeSharesToAmount(big(shares) as never, big(stake.totalShares) as never, big(stake.vault) as never) as never,
    )
  const [kept, asked] = [worth(stake.shares - stake.requested), worth(stake.requested)]
  const leaving = [asked, stake.promised].sort((a, b) => (a < b ? -1 : 1))[0] ?? 0n
  const unlockAt = Number(stake.requestTime + UNSTAKING_PERIOD)
  const usdc = (amountRaw: bigint) => [{ token: USDC, amountRaw }]
  return [
    ...(kept > 0n ? [position('staked', { supplied: usdc(kept) })] : []),
    ...(leaving > 0n ? [position('locked', { supplied: usdc(leaving), unlockAt })] : []),
  ]
}
