import type { Perpetual, PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import {
  type AccountData,
  type AccountLayout,
  invalid,
  openAccount,
  openExisting,
  type SolanaAccount,
} from '../../codec/account-data.ts'
import { addressBytes, integerSeed, programAddress } from '../../codec/address.ts'
import { heldAmount } from '../../codec/token-program.ts'
import type { SolanaReader } from '../../reader/solana-reader.ts'
import { readAccounts } from '../account-reads.ts'
import type { SolanaAdapter } from '../adapter.ts'
import {
  DRIFT,
  MARGIN_MODE,
  NAME_BYTES,
  PERP_MARKET,
  PERP_MARKET_NAME,
  PERP_POSITIONS,
  type PerpMarket,
  perpMarketFields,
  perpPositionFields,
  SPOT_MARKET,
  SPOT_POSITIONS,
  type SpotMarket,
  STAKE,
  STATS,
  SUB_ACCOUNTS_CREATED,
  spotMarketFields,
  spotPositionFields,
  stakeFields,
  USER,
  USER_NAME,
} from './layout.ts'
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
 * A position per sub-account and per perpetual, with funding, at the program's last price. Spot amounts are of the
 * market's last update, deposits rounded down, debts up. Health uses maintenance margins. Insurance stakes are fund
 * shares.
 */
export const drift: SolanaAdapter = {
  name: 'drift',
  key: 'drift',
  title: 'Drift',
  siteUrl: 'https://www.drift.trade',
  searched: [DRIFT],

  async positions({ reader, wallet, used }) {
    if (!used.has(DRIFT)) return []
    const accounts = await reader.accounts(addressesOf(wallet))
    const [stats, ...others] = accounts
    checkSubAccounts(stats)
    const users = opened(others.slice(0, SUB_ACCOUNTS), USER).map(readUser)
    const stakes = opened(others.slice(SUB_ACCOUNTS), STAKE)
      .map((data) => ({ address: data.address, ...stakeFields(data) }))
      .filter(({ shares }) => shares > 0n)
    const markets = await readMarkets(reader, users, stakes)
    return [
      ...users.flatMap((user) => userPositions(user, markets)),
      ...stakes.flatMap((stake) => stakePositions(stake, markets)),
    ]
  },
}

const opened = (accounts: readonly (SolanaAccount | null)[], layout: AccountLayout): AccountData[] =>
  accounts.flatMap((account) => (account ? [openAccount(account, layout)] : []))

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

/** Throws, so that no sub-account is missed silently. */
function checkSubAccounts(account: SolanaAccount | null | undefined): void {
  if (!account) return
  const stats = openAccount(account, STATS)
  const count = stats.u16(SUB_ACCOUNTS_CREATED)
  if (count > SUB_ACCOUNTS)
    throw invalid(STATS.what, stats.address, `has ${count} sub-accounts, and not all of them are read`)
}

type Perp = { isIsolated: boolean } & ReturnType<typeof perpPositionFields>
type User = ReturnType<typeof readUser>
type Stake = { address: SolanaAddress } & ReturnType<typeof stakeFields>

function readUser(data: AccountData) {
  const perps = PERP_POSITIONS.map((at) => perpPositionFields(data, at))
  return {
    address: data.address,
    name: data.text(USER_NAME, NAME_BYTES),
    highLeverage: data.u8(MARGIN_MODE) !== DEFAULT_MODE,
    spots: SPOT_POSITIONS.map((at) => spotPositionFields(data, at)).filter(({ scaled }) => scaled > 0n),
    perps: perps
      .filter(({ base, quote, isolated }) => base !== 0n || quote !== 0n || isolated > 0n)
      .map((perp): Perp => ({ ...perp, isIsolated: perp.isolated >= 0n && (perp.flags & ISOLATED) !== 0 })),
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
  const accountOf = (kind: string, index: number) => known.get(marketAddress(kind, index))
  return {
    spot: (index) => spotMarketFields(openExisting(accountOf('spot_market', index), SPOT_MARKET)),
    perp(index) {
      const data = openExisting(accountOf('perp_market', index), PERP_MARKET)
      return { address: data.address, name: data.text(PERP_MARKET_NAME, NAME_BYTES), ...perpMarketFields(data) }
    },
    vault: (index) => heldAmount(accountOf('insurance_fund_vault', index), 'insurance vault of Drift'),
  }
}

function spotAmount(market: SpotMarket, scaled: bigint, isDebt: boolean): TokenAmount {
  const interest = isDebt ? market.borrowInterest : market.depositInterest
  const divisor = 10n ** BigInt(BALANCE_DIGITS - market.decimals)
  const amountRaw = (scaled * interest + (isDebt ? divisor - 1n : 0n)) / divisor
  return { token: market.mint, amountRaw }
}

/** Positions without their own margin share the health factor of the sub-account. */
function userPositions(user: User, markets: Markets): PositionDraft[] {
  const spots = user.spots.map(({ market: index, scaled, isDebt }): SpotHolding => {
    const market = markets.spot(index)
    return { market, amountRaw: spotAmount(market, scaled, isDebt).amountRaw, isDebt }
  })
  const side = (isDebt: boolean) =>
    spots.filter((spot) => spot.isDebt === isDebt).map(({ market, amountRaw }) => ({ token: market.mint, amountRaw }))
  const perps = user.perps.map((perp) => ({ perp, held: perpHolding(perp, user, markets) }))
  const crossed = perps.filter(({ perp }) => !perp.isIsolated).map(({ held }) => held)
  const shared: Backing = { margin: marginOf(spots, crossed), spots }
  const lent: PositionDraft = {
    kind: 'lending',
    label: user.name,
    pool: user.address,
    supplied: side(false),
    borrowed: side(true),
    ...healthFactor(shared),
  }
  return [
    ...(spots.length > 0 ? [lent] : []),
    ...perps.map(({ perp, held }) =>
      perpPosition(user.address, perp, held, perp.isIsolated ? ownBacking(perp, held) : shared),
    ),
  ]
}

type Backing = { margin: Margin | undefined; spots: readonly SpotHolding[]; depositRaw?: bigint }

function healthFactor({ margin }: Backing): Pick<PositionDraft, 'healthFactorRaw'> {
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
  const token = quote.mint
  const isolated = perp.isolated > 0n ? [spotAmount(quote, perp.isolated, false)] : []
  const side = sideOf(perp.base)
  return {
    kind: 'perpetuals',
    label: [market.name, side].filter(Boolean).join(' '),
    pool,
    supplied: [...isolated, ...(profit > 0n ? [{ token, amountRaw: profit }] : [])],
    borrowed: profit < 0n ? [{ token, amountRaw: -profit }] : [],
    ...healthFactor(backing),
    ...(side && { perpetual: { side, ...perpetualFigures(perp, held, backing) } }),
  }
}

function perpetualFigures(perp: Perp, held: PerpHolding, { margin, spots, depositRaw = 0n }: Backing) {
  const size = perp.base < 0n ? -perp.base : perp.base
  const oracle = held.market.oracle
  const moving = spots.filter(({ market }) => market.oracle === oracle)
  const liquidation = margin && liquidationPriceOf(margin, held, moving)
  const value = (size * held.market.lastPrice) / BASE_UNIT
  return {
    sizeRaw: size * 10n ** 9n,
    entryPriceRaw: entryPriceOf(perp),
    ...(depositRaw > 0n && {
      marginUsedRaw: depositRaw * TO_18_DECIMALS,
      leverageRaw: (value * 10n ** 18n) / depositRaw,
    }),
    ...(liquidation !== undefined && { liquidationPriceRaw: liquidation * TO_18_DECIMALS }),
  }
}

function sideOf(base: bigint): Perpetual['side'] | undefined {
  if (base === 0n) return undefined
  return base > 0n ? 'long' : 'short'
}

/** USD with 18 decimals. */
function entryPriceOf({ base, entry }: Perp): bigint {
  const price = (entry * BASE_UNIT * TO_18_DECIMALS) / base
  return price < 0n ? -price : price
}

/** In the quote coin; every step is cut towards zero, as in the protocol. */
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
    ...(kept > 0n ? [{ ...staked(kept), kind: 'staked' as const, label: 'Insurance fund' }] : []),
    ...(leaving > 0n
      ? [{ ...staked(leaving), kind: 'locked' as const, label: 'Insurance fund, unstaking', unlockAt }]
      : []),
  ]
}
