import type { Perpetual, PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountData, type AccountLayout, invalid, openAccount, openExisting } from '../../codec/account-data.ts'
import { addressBytes } from '../../codec/address-bytes.ts'
import { integerSeed, programAddress } from '../../codec/program-address.ts'
import type { SolanaAccount } from '../../codec/solana-account.ts'
import type { SolanaReader } from '../../reader/solana-reader.ts'
import type { SolanaFamily } from '../family.ts'
import {
  DRIFT,
  NAME_BYTES,
  PERP_MARKET,
  POSITIONS,
  perpMarketField,
  perpPositionField,
  SPOT_MARKET,
  STAKE,
  STATS,
  spotMarketField,
  spotPositionField,
  stakeField,
  statsField,
  USER,
  userField,
  VAULT,
  VAULT_AMOUNT,
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

/** How many sub-accounts and markets' insurance funds are looked for: their addresses follow from the wallet. */
const SUB_ACCOUNTS = 16
const INSURED_MARKETS = 64
/** The market in which perpetuals are settled: USDC. */
const QUOTE_MARKET = 0

/** Scaled balances times interest have 19 digits more than whole tokens. */
const BALANCE_DIGITS = 19
const BASE_UNIT = 10n ** 9n
const FUNDING_BUFFER = 1_000n
const QUOTE_UNIT = 10n ** 6n
/** From USD and prices with 6 decimals. */
const TO_18_DECIMALS = 10n ** 12n
/** The bit of a perpetual with a margin of its own. */
const ISOLATED = 1
const DEFAULT_MODE = 0

/**
 * Drift: deposits and debts of each sub-account as one position, every perpetual as one of its own: what it has won or lost, in
 * the coin it is settled in, funding included, at the price that the program saw last. Spot amounts are at the market's last
 * update, deposits rounded down and debts up. Health and liquidation prices are those of the margin for maintenance. Stakes in insurance funds are shares of the fund's vault. All addresses follow from
 * the wallet, so that nothing is searched.
 */
export const drift: SolanaFamily = {
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
    const stakes = opened(others.slice(SUB_ACCOUNTS), STAKE).filter((stake) => stake.u128(stakeField.shares) > 0n)
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

/** Throws if there are more sub-accounts than are read, so that none is missed silently. */
function checkSubAccounts(account: SolanaAccount | null | undefined): void {
  if (!account) return
  const stats = openAccount(account, STATS)
  const count = stats.u16(statsField.subAccountsCreated)
  if (count > SUB_ACCOUNTS)
    throw invalid(STATS.what, stats.address, `has ${count} sub-accounts, of which not all are read`)
}

type Spot = { market: number; scaled: bigint; isDebt: boolean }
/** `entry`: USDC that the position was opened for, with the sign of a payment. */
type Perp = {
  market: number
  base: bigint
  quote: bigint
  entry: bigint
  funding: bigint
  isolated: bigint
  isIsolated: boolean
}
/** `highLeverage`: it has asked for the ratios of high leverage, where a market has some. */
type User = { address: SolanaAddress; name: string; highLeverage: boolean; spots: Spot[]; perps: Perp[] }

function readUser(data: AccountData): User {
  const slots = (base: number, size: number) => Array.from({ length: POSITIONS }, (_, index) => base + index * size)
  return {
    address: data.address,
    name: textOf(data, userField.name),
    highLeverage: data.u8(userField.marginMode) !== DEFAULT_MODE,
    spots: slots(userField.spot, spotPositionField.size)
      .map((at) => ({
        market: data.u16(at + spotPositionField.market),
        scaled: data.u64(at + spotPositionField.scaled),
        isDebt: data.flag(at + spotPositionField.type),
      }))
      .filter(({ scaled }) => scaled > 0n),
    perps: slots(userField.perp, perpPositionField.size)
      .map((at) => ({
        market: data.u16(at + perpPositionField.market),
        base: data.i64(at + perpPositionField.base),
        quote: data.i64(at + perpPositionField.quote),
        entry: data.i64(at + perpPositionField.entry),
        funding: data.i64(at + perpPositionField.funding),
        isolated: data.u64(at + perpPositionField.isolated),
        isIsolated: (data.u8(at + perpPositionField.flags) & ISOLATED) !== 0,
      }))
      .filter(({ base, quote, isolated }) => base !== 0n || quote !== 0n || isolated > 0n),
  }
}

const textOf = (data: AccountData, offset: number) =>
  new TextDecoder().decode(data.bytes(offset, NAME_BYTES)).replaceAll('\0', '').trim()

type Markets = {
  spot(index: number): AccountData
  perp(index: number): AccountData
  vault(index: number): bigint
}

const marketAddress = (kind: string, index: number) => programAddress(DRIFT, [kind, integerSeed(index, 2)])

async function readMarkets(reader: SolanaReader, users: User[], stakes: AccountData[]): Promise<Markets> {
  const perps = new Set(users.flatMap((user) => user.perps.map(({ market }) => market)))
  const insured = new Set(stakes.map((stake) => stake.u16(stakeField.market)))
  const spots = new Set([
    ...users.flatMap((user) => user.spots.map(({ market }) => market)),
    ...insured,
    ...(perps.size > 0 ? [QUOTE_MARKET] : []),
  ])
  const addresses = [
    ...[...spots].map((index) => marketAddress('spot_market', index)),
    ...[...perps].map((index) => marketAddress('perp_market', index)),
    ...[...insured].map((index) => marketAddress('insurance_fund_vault', index)),
  ]
  const accounts = await reader.accounts(addresses)
  const known = new Map(addresses.map((address, index) => [address, accounts[index]]))
  const open = (kind: string, layout: AccountLayout) => (index: number) =>
    openExisting(known.get(marketAddress(kind, index)), layout)
  return {
    spot: open('spot_market', SPOT_MARKET),
    perp: open('perp_market', PERP_MARKET),
    vault: (index) => open('insurance_fund_vault', VAULT)(index).u64(VAULT_AMOUNT),
  }
}

function spotAmount(market: AccountData, scaled: bigint, isDebt: boolean): TokenAmount {
  const field = spotMarketField
  const interest = market.u128(isDebt ? field.borrowInterest : field.depositInterest)
  const divisor = 10n ** BigInt(BALANCE_DIGITS - market.u32(field.decimals))
  const amountRaw = (scaled * interest + (isDebt ? divisor - 1n : 0n)) / divisor
  return { token: market.key(field.mint), amountRaw }
}

/**
 * Spot balances back each other and every perpetual without a margin of its own: these positions share the health factor of
 * the sub-account.
 */
function userPositions(user: User, markets: Markets): PositionDraft[] {
  const spots = user.spots.map(({ market, scaled, isDebt }): SpotHolding => {
    const { amountRaw } = spotAmount(markets.spot(market), scaled, isDebt)
    return { market: markets.spot(market), amountRaw, isDebt }
  })
  const side = (isDebt: boolean) =>
    spots
      .filter((spot) => spot.isDebt === isDebt)
      .map(({ market, amountRaw }) => ({ token: market.key(spotMarketField.mint), amountRaw }))
  const perps = user.perps.map((perp) => ({ perp, held: perpHolding(perp, user, markets) }))
  const crossed = perps.filter(({ perp }) => !perp.isIsolated).map(({ held }) => held)
  const shared: Backing = { margin: marginOf(spots, crossed), spots }
  const lent: PositionDraft = {
    ...{ kind: 'lending', label: user.name, pool: user.address },
    ...{ supplied: side(false), borrowed: side(true), rewards: [], receipts: [], ...healthFactor(shared) },
  }
  return [
    ...(spots.length > 0 ? [lent] : []),
    ...perps.map(({ perp, held }) =>
      perpPosition(user.address, perp, held, perp.isIsolated ? ownBacking(perp, held) : shared),
    ),
  ]
}

/** What a perpetual's losses are taken from: its own deposit, or all of a sub-account. */
type Backing = { margin: Margin | undefined; spots: readonly SpotHolding[]; depositRaw?: bigint }

function healthFactor({ margin }: Backing): Pick<PositionDraft, 'healthFactorRaw'> {
  const health = margin && healthOf(margin)
  return health === undefined ? {} : { healthFactorRaw: health }
}

function perpHolding(perp: Perp, { highLeverage }: User, markets: Markets): PerpHolding {
  const market = markets.perp(perp.market)
  if (market.u16(perpMarketField.quoteMarket) !== QUOTE_MARKET) {
    throw invalid(PERP_MARKET.what, market.address, 'is settled in another coin than USDC')
  }
  return { market, quote: markets.spot(QUOTE_MARKET), base: perp.base, profit: profitOf(perp, market), highLeverage }
}

function ownBacking({ isolated }: Perp, held: PerpHolding): Backing {
  const { amountRaw } = spotAmount(held.quote, isolated, false)
  const depositRaw = (amountRaw * held.quote.i64(spotMarketField.lastPrice)) / QUOTE_UNIT
  return { margin: marginOf([], [held], depositRaw), spots: [], depositRaw }
}

function perpPosition(pool: SolanaAddress, perp: Perp, held: PerpHolding, backing: Backing): PositionDraft {
  const { market, quote, profit } = held
  const token = quote.key(spotMarketField.mint)
  const isolated = perp.isolated > 0n ? [spotAmount(quote, perp.isolated, false)] : []
  const side = sideOf(perp.base)
  return {
    kind: 'perpetuals',
    label: [textOf(market, perpMarketField.name), side].filter(Boolean).join(' '),
    pool,
    supplied: [...isolated, ...(profit > 0n ? [{ token, amountRaw: profit }] : [])],
    borrowed: profit < 0n ? [{ token, amountRaw: -profit }] : [],
    rewards: [],
    receipts: [],
    ...healthFactor(backing),
    ...(side && { perpetual: { side, ...perpetualFigures(perp, held, backing) } }),
  }
}

function perpetualFigures(perp: Perp, held: PerpHolding, { margin, spots, depositRaw = 0n }: Backing) {
  const size = perp.base < 0n ? -perp.base : perp.base
  const oracle = held.market.key(perpMarketField.oracle)
  const moving = spots.filter(({ market }) => market.key(spotMarketField.oracle) === oracle)
  const liquidation = margin && liquidationPriceOf(margin, held, moving)
  const value = (size * held.market.i64(perpMarketField.lastPrice)) / BASE_UNIT
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

/** USD with 18 decimals, of the quote coin's 6. */
function entryPriceOf({ base, entry }: Perp): bigint {
  const price = (entry * BASE_UNIT * TO_18_DECIMALS) / base
  return price < 0n ? -price : price
}

/** Of the quote coin, with its sign; every step cut towards zero, as the protocol does. */
function profitOf({ base, quote, funding }: Perp, market: AccountData): bigint {
  if (base === 0n) return quote
  const field = perpMarketField
  const price = market.i64(isSettled(market) ? field.expiryPrice : field.lastPrice)
  const cumulative = market.i128(base > 0n ? field.fundingLong : field.fundingShort)
  const unpaid = (((cumulative - funding) * base) / BASE_UNIT / FUNDING_BUFFER) * -1n
  return (base * price) / BASE_UNIT + quote + unpaid
}

function stakePositions(stake: AccountData, markets: Markets): PositionDraft[] {
  const index = stake.u16(stakeField.market)
  const market = markets.spot(index)
  // A fund that lost almost everything counts its shares anew, in powers of ten.
  const rebased = market.u128(spotMarketField.insuranceBase) - stake.u128(stakeField.base)
  const shares = (offset: number) => stake.u128(offset) / 10n ** rebased
  const total = market.u128(spotMarketField.insuranceShares)
  const worth = (part: bigint) => (total === 0n ? 0n : (part * markets.vault(index)) / total)
  const requested = shares(stakeField.requestShares)
  const asked = worth(requested)
  const promised = stake.u64(stakeField.requestValue)
  const base = { pool: stake.address, borrowed: [], rewards: [], receipts: [] }
  const supplied = (amountRaw: bigint) => [{ token: market.key(spotMarketField.mint), amountRaw }]
  const kept = worth(shares(stakeField.shares) - requested)
  const isCapped = asked > promised
  const leaving = isCapped ? promised : asked
  const unlockAt = Number(stake.i64(stakeField.requestTime) + market.i64(spotMarketField.unstakingPeriod))
  return [
    ...(kept > 0n ? [{ ...base, kind: 'staked' as const, label: 'Insurance fund', supplied: supplied(kept) }] : []),
    ...(leaving > 0n
      ? [
          {
            ...base,
            kind: 'locked' as const,
            label: 'Insurance fund, unstaking',
            supplied: supplied(leaving),
            unlockAt,
          },
        ]
      : []),
  ]
}
