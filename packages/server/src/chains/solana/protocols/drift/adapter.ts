import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountOf, type Fields, invalid, type Layout, readAccount } from '../../codec/account-data.ts'
import { addressBytes, integerSeed, programAddress } from '../../codec/address.ts'
import { heldAmount } from '../../codec/token-program.ts'
import type { SolanaReader } from '../../reader/solana-reader.ts'
import { readAccounts, readExisting } from '../account-reads.ts'
import type { SolanaAdapter } from '../adapter.ts'
import { positive } from '../amounts.ts'
import { DRIFT, PERP_MARKET, type PerpMarket, SPOT_MARKET, type SpotMarket, STAKE, STATS, USER } from './layout.ts'
import {
  healthOf,
  isSettled,
  liquidationPriceOf,
  type Margin,
  marginOf,
  type PerpHolding,
  type SpotHolding,
} from './margin.ts'

/** Their addresses follow from the wallet. */
const SUB_ACCOUNTS = 16
const INSURED_MARKETS = 64
/** USDC, in which perpetuals are settled. */
const QUOTE_MARKET = 0

/** Scaled balances times interest have 19 digits more than whole tokens. */
const BALANCE_DIGITS = 19
const BASE_UNIT = 10n ** 9n
const FUNDING_BUFFER = 1_000n
const QUOTE_UNIT = 10n ** 6n
const TO_18_DECIMALS = 10n ** 12n
const ISOLATED = 1
const DEFAULT_MODE = 0

/**
 * A position per sub-account and per perpetual, at the program's last price. Spot amounts are of the market's last
 * update, deposits rounded down, debts up. Health uses maintenance margins.
 */
export const drift: SolanaAdapter = {
  key: 'drift',
  title: 'Drift',
  siteUrl: 'https://www.drift.trade',
  searched: [DRIFT],

  async positions({ reader, wallet, used }) {
    if (!used.has(DRIFT)) return []
    const [stats, ...others] = await reader.accounts(addressesOf(wallet))
    // Throws, so that no sub-account is missed silently.
    const { subAccounts = 0 } = readExisting([stats ?? null], STATS)[0] ?? {}
    if (subAccounts > SUB_ACCOUNTS) {
      throw invalid(STATS.what, wallet, `has ${subAccounts} sub-accounts, and not all of them are read`)
    }
    const users = readExisting(others.slice(0, SUB_ACCOUNTS), USER).map(userOf)
    const stakes = readExisting(others.slice(SUB_ACCOUNTS), STAKE).filter(({ shares }) => shares > 0n)
    const markets = await readMarkets(reader, users, stakes)
    return [
      ...users.flatMap((user) => userPositions(user, markets)),
      ...stakes.flatMap((stake) => stakePositions(stake, markets)),
    ]
  },
}

function addressesOf(wallet: SolanaAddress): SolanaAddress[] {
  const owner = addressBytes(wallet)
  const several = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => programAddress(DRIFT, [name, owner, integerSeed(index, 2)]))
  return [
    programAddress(DRIFT, ['user_stats', owner]),
    ...several('user', SUB_ACCOUNTS),
    ...several('insurance_fund_stake', INSURED_MARKETS),
  ]
}

type User = ReturnType<typeof userOf>
type Perp = User['perps'][number]
type Stake = AccountOf<typeof STAKE>

function userOf({ marginMode, spots, perps, ...user }: AccountOf<typeof USER>) {
  return {
    ...user,
    highLeverage: marginMode !== DEFAULT_MODE,
    spots: spots.filter(({ scaled }) => scaled > 0n),
    perps: perps
      .filter(({ base, quote, isolated }) => base !== 0n || quote !== 0n || isolated > 0n)
      .map((perp) => ({ ...perp, isIsolated: perp.isolated >= 0n && (perp.flags & ISOLATED) !== 0 })),
  }
}

type Markets = {
  spot(index: number): SpotMarket
  perp(index: number): PerpMarket
  vault(index: number): bigint
}

const marketAddress = (kind: string, index: number) => programAddress(DRIFT, [kind, integerSeed(index, 2)])

async function readMarkets(reader: SolanaReader, users: User[], stakes: Stake[]): Promise<Markets> {
  const perps = users.flatMap((user) => user.perps.map(({ market }) => market))
  const insured = stakes.map(({ market }) => market)
  const spots = [
    ...users.flatMap((user) => user.spots.map(({ market }) => market)),
    ...insured,
    ...(perps.length > 0 ? [QUOTE_MARKET] : []),
  ]
  const known = await readAccounts(reader, [
    ...spots.map((index) => marketAddress('spot_market', index)),
    ...perps.map((index) => marketAddress('perp_market', index)),
    ...insured.map((index) => marketAddress('insurance_fund_vault', index)),
  ])
  const marketOf = <F extends Fields>(kind: string, index: number, layout: Layout<F>) =>
    readAccount(known.get(marketAddress(kind, index)), layout)
  return {
    spot: (index) => marketOf('spot_market', index, SPOT_MARKET),
    perp: (index) => marketOf('perp_market', index, PERP_MARKET),
    vault: (index) => heldAmount(known.get(marketAddress('insurance_fund_vault', index)), 'insurance vault of Drift'),
  }
}

function spotAmount(market: SpotMarket, scaled: bigint, isDebt: boolean): TokenAmount {
  const interest = isDebt ? market.borrowInterest : market.depositInterest
  const divisor = 10n ** BigInt(BALANCE_DIGITS - market.decimals)
  const amountRaw = (scaled * interest + (isDebt ? divisor - 1n : 0n)) / divisor
  return { token: market.mint, amountRaw }
}

/** Without own margin, positions share the health factor of the sub-account. */
function userPositions(user: User, markets: Markets): PositionDraft[] {
  const spots = user.spots.map(({ market: index, scaled, isDebt }): SpotHolding => {
    const market = markets.spot(index)
    return { ...spotAmount(market, scaled, isDebt), market, isDebt }
  })
  const perps = user.perps.map((perp) => ({ perp, held: perpHolding(perp, user, markets) }))
  const crossed = perps.filter(({ perp }) => !perp.isIsolated).map(({ held }) => held)
  const shared: Backing = { margin: marginOf(spots, crossed), spots }
  const side = (isDebt: boolean) =>
    spots.filter((spot) => spot.isDebt === isDebt).map(({ token, amountRaw }) => ({ token, amountRaw }))
  return [
    {
      kind: 'lending',
      label: user.name,
      pool: user.address,
      supplied: side(false),
      borrowed: side(true),
      ...healthFactor(shared),
    },
    ...perps.map(({ perp, held }) =>
      perpPosition(user.address, perp, held, perp.isIsolated ? ownBacking(perp, held) : shared),
    ),
  ]
}

type Backing = { margin: Margin | undefined; spots: readonly SpotHolding[]; depositRaw?: bigint }

function healthFactor({ margin }: Backing): { healthFactorRaw?: bigint } {
  const health = margin && healthOf(margin)
  return health === undefined ? {} : { healthFactorRaw: health }
}

function perpHolding(perp: Perp, { highLeverage }: User, markets: Markets): PerpHolding {
  const market = markets.perp(perp.market)
  if (market.quoteMarket !== QUOTE_MARKET) {
    throw invalid(PERP_MARKET.what, market.address, 'is settled in another coin than USDC')
  }
  return { market, quote: markets.spot(QUOTE_MARKET), base: perp.base, profit: profitOf(perp, market), highLeverage }
}

function ownBacking({ isolated }: Perp, held: PerpHolding): Backing {
  const { amountRaw } = spotAmount(held.quote, isolated, false)
  const depositRaw = (amountRaw * held.quote.lastPrice) / QUOTE_UNIT
  return { margin: marginOf([], [held], depositRaw), spots: [], depositRaw }
}

function perpPosition(pool: SolanaAddress, perp: Perp, held: PerpHolding, backing: Backing): PositionDraft {
  const { market, quote, profit } = held
  const side = perp.base > 0n ? 'long' : 'short'
  return {
    kind: 'perpetuals',
    label: perp.base === 0n ? market.name : [market.name, side].filter(Boolean).join(' '),
    pool,
    supplied: [spotAmount(quote, positive(perp.isolated), false), { token: quote.mint, amountRaw: positive(profit) }],
    borrowed: [{ token: quote.mint, amountRaw: positive(-profit) }],
    ...healthFactor(backing),
    ...(perp.base !== 0n && { perpetual: { side, ...perpetualFigures(perp, held, backing) } }),
  }
}

function perpetualFigures(perp: Perp, held: PerpHolding, { margin, spots, depositRaw = 0n }: Backing) {
  const size = perp.base < 0n ? -perp.base : perp.base
  const oracle = held.market.oracle
  const moving = spots.filter(({ market }) => market.oracle === oracle)
  const liquidation = margin && liquidationPriceOf(margin, held, moving)
  const value = (size * held.market.lastPrice) / BASE_UNIT
  const entryPrice = (perp.entry * BASE_UNIT * TO_18_DECIMALS) / perp.base
  return {
    sizeRaw: size * 10n ** 9n,
    entryPriceRaw: entryPrice < 0n ? -entryPrice : entryPrice,
    ...(depositRaw > 0n && {
      marginUsedRaw: depositRaw * TO_18_DECIMALS,
      leverageRaw: (value * 10n ** 18n) / depositRaw,
    }),
    ...(liquidation !== undefined && { liquidationPriceRaw: liquidation * TO_18_DECIMALS }),
  }
}

/** In the quote coin; every step is cut towards zero. */
function profitOf({ base, quote, funding }: Perp, market: PerpMarket): bigint {
  if (base === 0n) return quote
  const price = isSettled(market) ? market.expiryPrice : market.lastPrice
  const cumulative = base > 0n ? market.fundingLong : market.fundingShort
  const unpaid = (((cumulative - funding) * base) / BASE_UNIT / FUNDING_BUFFER) * -1n
  return (base * price) / BASE_UNIT + quote + unpaid
}

function stakePositions(stake: Stake, markets: Markets): PositionDraft[] {
  const market = markets.spot(stake.market)
  // After an almost total loss, the fund divides its shares by a power of ten.
  const rebased = 10n ** (market.insuranceBase - stake.base)
  const total = market.insuranceShares
  const worth = (part: bigint) => (total === 0n ? 0n : (part * markets.vault(stake.market)) / total)
  const requested = stake.requestShares / rebased
  const asked = worth(requested)
  const kept = worth(stake.shares / rebased - requested)
  const isCapped = asked > stake.requestValue
  const leaving = isCapped ? stake.requestValue : asked
  const staked = (amountRaw: bigint) => ({ pool: stake.address, supplied: [{ token: market.mint, amountRaw }] })
  const unlockAt = Number(stake.requestTime + market.unstakingPeriod)
  return [
    { ...staked(kept), kind: 'staked', label: 'Insurance fund' },
    { ...staked(leaving), kind: 'locked', label: 'Insurance fund, unstaking', unlockAt },
  ]
}
