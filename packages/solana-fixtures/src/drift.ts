import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { unstakeSharesToAmount } from '@drift-labs/sdk/lib/node/math/insurance.js'
import { calculatePositionPNL } from '@drift-labs/sdk/lib/node/math/position.js'
import { getTokenAmount } from '@drift-labs/sdk/lib/node/math/spotBalance.js'
import BN from 'bn.js'
import { addressBytes, addressOf, derived, USDC, WRAPPED_SOL } from './addresses.ts'
import { type Fixture, type FixtureAccount, fixtureAccount, position } from './fixture.ts'
import { anchorData, type Idl } from './layout.ts'
import { tokenAccount } from './tokens.ts'

const require = createRequire(import.meta.url)
const idl = JSON.parse(readFileSync(require.resolve('@drift-labs/sdk/lib/node/idl/drift.json'), 'utf8')) as Idl

const PROGRAM = 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH'
const UNSTAKING_PERIOD = 1_123_200n

export type DriftFigures = {
  subAccounts: number
  depositScaled: bigint
  debtScaled: bigint
  depositInterest: bigint
  borrowInterest: bigint
  /** `entry`: `quote` without fees and what was settled; the same where it is not given. */
  perp: { base: bigint; quote: bigint; entry?: bigint; funding: bigint; isolated: bigint }
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
  })
  return fixtureAccount(await derived(PROGRAM, ['spot_market', index(at)]), PROGRAM, data)
}

const perpMarket = async ({ perpMarket: market }: DriftFigures): Promise<FixtureAccount> => {
  const data = anchorData(idl, 'PerpMarket', {
    amm: {
      historicalOracleData: { lastOraclePrice: market.price },
      cumulativeFundingRateLong: market.fundingLong,
      cumulativeFundingRateShort: market.fundingShort,
    },
    name: text('SOL-PERP'),
    expiryPrice: market.expiryPrice,
    status: market.isSettled ? 'Settlement' : 'Active',
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
      },
    ],
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
    position('lending', { supplied: depositScaled > 0n ? supplied : [], borrowed: debtScaled > 0n ? borrowed : [] }),
  ]
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
  return [position('perpetuals', { supplied, borrowed: some(-won) })]
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
