import { unstakeSharesToAmount } from '@drift-labs/sdk/lib/node/math/insurance.js'
import { calculatePositionPNL } from '@drift-labs/sdk/lib/node/math/position.js'
import { getTokenAmount } from '@drift-labs/sdk/lib/node/math/spotBalance.js'
import { User } from '@drift-labs/sdk/lib/node/user.js'
import BN from 'bn.js'
import { USDC, WRAPPED_SOL } from './addresses.ts'
import { type DriftFigures, oracleOf, PERP_ORACLE, priceOf, SOL, sourceOf, UNSTAKING_PERIOD } from './drift-figures.ts'
import { type Fixture, position } from './fixture.ts'

const big = (value: bigint) => new BN(value.toString())
const int = (value: BN) => BigInt(value.toString())

/** Computed by Drift's SDK. */
export const driftPositions = (figures: DriftFigures): Fixture['expected'] => [
  ...lent(figures),
  ...perpetual(figures),
  ...insured(figures),
]

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

/** USD with 6 decimals. Undefined if the SDK returns -1. */
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
