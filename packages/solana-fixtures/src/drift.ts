import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { addressBytes, addressOf, derived, USDC, WRAPPED_SOL } from './addresses.ts'
import {
  type DriftFigures,
  driftFigures,
  oracleOf,
  PERP_ORACLE,
  priceOf,
  sourceOf,
  UNSTAKING_PERIOD,
} from './drift-figures.ts'
import { driftPositions } from './drift-positions.ts'
import { type Fixture, type FixtureAccount, fixtureAccount } from './fixture.ts'
import { anchorData, type Idl } from './layout.ts'
import { tokenAccount } from './tokens.ts'

const require = createRequire(import.meta.url)
const idl = JSON.parse(readFileSync(require.resolve('@drift-labs/sdk/lib/node/idl/drift.json'), 'utf8')) as Idl

const PROGRAM = 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH'

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

export const drift = async (wallet: string, figures: DriftFigures = driftFigures): Promise<Fixture> => {
  const vault = await derived(PROGRAM, ['insurance_fund_vault', index(0)])
  const accounts = [
    ...(await userAccounts(wallet, figures)),
    await spotMarket(0, USDC, 6, figures),
    await spotMarket(1, WRAPPED_SOL, 9, figures),
    await perpMarket(figures),
    tokenAccount(vault, addressOf('Drift'), USDC, figures.stake.vault),
  ]
  return { accounts, held: [], expected: driftPositions(figures) }
}
