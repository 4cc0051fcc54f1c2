import { dividedUp } from '../amounts.ts'

/**
 * Prices times 10^12, rates and fees in basis points, times in Unix seconds. Source: Instadapp/fluid-solana-programs.
 */
const PRICE_UNIT = 10n ** 12n
const BPS = 10_000n
const YEAR = 31_536_000n
/** 100 % of a return. */
const RETURN_UNIT = 10n ** 14n
const MAX_REWARD = RETURN_UNIT / 2n
const YIELD_UNIT = 10n ** 17n
const GROWTH_UNIT = 10n ** 18n

type Pair = readonly [bigint, bigint]

type ReserveTerms = {
  borrowRate: number
  fee: number
  utilisation: number
  updatedAt: bigint
  supplyPrice: bigint
  borrowPrice: bigint
  supplied: Pair
  borrowed: Pair
}

const later = (a: bigint, b: bigint) => (a > b ? a : b)
const earlier = (a: bigint, b: bigint) => (a < b ? a : b)

/** `TokenReserve::calculate_exchange_prices`, up to `time`. */
export function reservePrices(reserve: ReserveTerms, time: bigint): Pair {
  const { supplyPrice, borrowPrice, updatedAt, supplied, borrowed } = reserve
  const seconds = later(time - updatedAt, 0n)
  const rate = BigInt(reserve.borrowRate)
  if (borrowed[0] === 0n) return [supplyPrice, borrowPrice]
  const debtPrice = borrowPrice + dividedUp(borrowPrice * rate * seconds, YEAR * BPS)
  if (supplied[0] === 0n) return [supplyPrice, debtPrice]
  const yielded = suppliersYield(BigInt(reserve.utilisation), supplied, borrowed)
  const supplyRate = rate * yielded * (BPS - BigInt(reserve.fee))
  return [supplyPrice + (supplyPrice * supplyRate * seconds) / (YEAR * BPS) / (BPS * BPS), debtPrice]
}

/** Part of the borrow rate, in basis points: interest-free sides neither pay nor are paid. */
function suppliersYield(utilisation: bigint, supplied: Pair, borrowed: Pair): bigint {
  const [supplyRatio, borrowRatio] = [ratioOf(supplied), ratioOf(borrowed)]
  if (supplied[0] < supplied[1] && supplyRatio === 0n) return 0n
  const perUtilised =
    supplied[0] < supplied[1]
      ? (utilisation * (YIELD_UNIT + (YIELD_UNIT * BPS) / supplyRatio)) / BPS
      : (utilisation * YIELD_UNIT * (BPS + supplyRatio)) / (BPS * BPS)
  const smaller = (borrowRatio * YIELD_UNIT) / (BPS + borrowRatio)
  const paying = borrowed[0] < borrowed[1] ? smaller : YIELD_UNIT - smaller
  return (((perUtilised * paying) / YIELD_UNIT) * BPS) / YIELD_UNIT
}

function ratioOf([interest, free]: Pair): bigint {
  const [less, more] = interest < free ? [interest, free] : [free, interest]
  return more === 0n ? 0n : (less * BPS) / more
}

type RewardTerms = {
  minAssets: bigint
  duration: bigint
  start: bigint
  yearly: bigint
  nextDuration: bigint
  nextAmount: bigint
}

type LendingTerms = { sharePrice: bigint; liquidityPrice: bigint; updatedAt: bigint }

/** `calculate_new_token_exchange_price`, up to `time`. */
export function sharePriceAt(
  { sharePrice, liquidityPrice, updatedAt }: LendingTerms,
  {
    time,
    liquidity,
    rewards,
    shares,
  }: { time: bigint; liquidity: bigint; rewards: RewardTerms | undefined; shares: bigint },
): bigint {
  const assets = (sharePrice * shares) / PRICE_UNIT
  const rewarded = rewards ? rewardsReturn(rewards, { assets, from: updatedAt, time }) : 0n
  const interest = ((liquidity - liquidityPrice) * RETURN_UNIT) / liquidityPrice
  return sharePrice + (sharePrice * (rewarded + interest)) / RETURN_UNIT
}

function rewardsReturn(
  { minAssets, duration, start, yearly, nextDuration, nextAmount }: RewardTerms,
  { assets, from, time }: { assets: bigint; from: bigint; time: bigint },
): bigint {
  if (start === 0n || time < start || assets < minAssets || assets === 0n) return 0n
  const end = start + duration
  const phase = (perYear: bigint, begins: bigint, ends: bigint) => {
    const seconds = later(earlier(time, ends) - later(from, begins), 0n)
    return (earlier((perYear * RETURN_UNIT) / assets, MAX_REWARD) * seconds) / YEAR
  }
  const next =
    nextAmount > 0n && nextDuration > 0n ? phase((nextAmount * YEAR) / nextDuration, end, end + nextDuration) : 0n
  return phase(yearly, start, end) + next
}

/** Rounded down. */
export const worth = (raw: bigint, price: bigint, scale = 1n) => (raw * price) / (PRICE_UNIT * scale)
/** Rounded up. */
export const owed = (raw: bigint, price: bigint, scale: bigint) => dividedUp(raw * price, PRICE_UNIT * scale)

type VaultTerms = { prices: Pair; liquidityPrices: Pair; updatedAt: bigint }

/** `VaultState::load_exchange_prices`: growth of the liquidity layer plus magnifiers. */
export function vaultPrices(
  { prices, liquidityPrices, updatedAt }: VaultTerms,
  { time, liquidity, magnifiers }: { time: bigint; liquidity: Pair; magnifiers: readonly [number, number] },
): Pair {
  const seconds = later(time - updatedAt, 0n)
  const added = (side: 0 | 1) => {
    const size = prices[side] * seconds * BigInt(Math.abs(magnifiers[side]))
    const change = size / BPS / YEAR
    return magnifiers[side] < 0 ? -change : change
  }
  const growth = (side: 0 | 1) => prices[side] * ((liquidity[side] * GROWTH_UNIT) / liquidityPrices[side])
  return [growth(0) / GROWTH_UNIT + added(0), dividedUp(growth(1), GROWTH_UNIT) + added(1)]
}
