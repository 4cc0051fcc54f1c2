import type { PerpMarket, SpotMarket } from './layout.ts'

/** Of USD, of prices, and of the factor that raises weights with the size of a holding. */
const UNIT = 10n ** 6n
const WEIGHT_UNIT = 10n ** 4n
const BASE_DIGITS = 9
const BASE_UNIT = 10n ** 9n
/** The square root of a size with ten digits has five. */
const ROOT_UNIT = 10n ** 5n
const PREDICTION = 2
const IN_SETTLEMENT = 7

export type SpotHolding = { market: SpotMarket; amountRaw: bigint; isDebt: boolean }

/**
 * `quote`: the market of the coin that it is settled in; `profit`: of that coin, with its sign. `highLeverage`: the
 * sub-account has asked for the market's other ratio.
 */
export type PerpHolding = {
  market: PerpMarket
  quote: SpotMarket
  base: bigint
  profit: bigint
  highLeverage: boolean
}

/** USD with 6 decimals. What has less collateral than is required may be liquidated. */
export type Margin = { collateral: bigint; required: bigint }

/**
 * The margin of holdings that back each other, by the ratios for maintenance, at the prices that the markets saw last,
 * without open orders, which a liquidation cancels first. `deposit`: USD beside them. Undefined where a market has no
 * price. Source: Drift's SDK.
 */
export function marginOf(
  spots: readonly SpotHolding[],
  perps: readonly PerpHolding[],
  deposit = 0n,
): Margin | undefined {
  const coins = [...spots.map(({ market }) => market), ...perps.map(({ quote }) => quote)]
  const prices = [...coins.map((market) => market.lastPrice), ...perps.map(priceOf)]
  if (prices.some((price) => price <= 0n)) return undefined
  const parts = [...spots.map(spotMargin), ...perps.map(perpMargin)]
  return {
    collateral: parts.reduce((sum, part) => sum + part.collateral, deposit),
    required: parts.reduce((sum, part) => sum + part.required, 0n),
  }
}

/**
 * USD with 6 decimals: the price of the perpetual's asset at which the margin is used up while all else stays.
 * `spots`: what moves with that price. Undefined where no price does that, or another one than the oracle's decides.
 */
export function liquidationPriceOf(
  margin: Margin,
  perp: PerpHolding,
  spots: readonly SpotHolding[],
): bigint | undefined {
  const { market, base } = perp
  const ratio = (marginRatio(perp) * UNIT) / WEIGHT_UNIT
  const source = market.oracleSource
  const isOther = spots.some((spot) => spot.market.oracleSource !== source)
  if (base === 0n || isOther || market.contract === PREDICTION || isSettled(market)) return undefined
  const own = base > 0n ? ((UNIT - ratio) * base) / BASE_UNIT : ((UNIT + ratio) * base) / BASE_UNIT
  const slope = spots.reduce((sum, spot) => sum + slopeOf(spot), own)
  if (slope === 0n) return undefined
  const free = margin.collateral > margin.required ? margin.collateral - margin.required : 0n
  const price = priceOf(perp) - (free * UNIT) / slope
  return price > 0n ? price : undefined
}

/** A health factor with 18 decimals; liquidation begins below 1. */
export const healthOf = ({ collateral, required }: Margin): bigint | undefined => {
  if (required === 0n) return undefined
  return collateral > 0n ? (collateral * 10n ** 18n) / required : 0n
}

export const isSettled = (market: PerpMarket) => market.status === IN_SETTLEMENT

const priceOf = ({ market }: Pick<PerpHolding, 'market'>) => market.lastPrice

function spotMargin(spot: SpotHolding): Margin {
  const { market, amountRaw, isDebt } = spot
  const value = (amountRaw * market.lastPrice) / tokenUnit(market)
  const weighted = (value * spotWeight(spot)) / WEIGHT_UNIT
  return isDebt ? { collateral: 0n, required: weighted } : { collateral: weighted, required: 0n }
}

/** USD by which collateral less what is required grows with a USD of the asset's price. */
function slopeOf(spot: SpotHolding): bigint {
  const { market, amountRaw, isDebt } = spot
  const slope = (((UNIT * spotWeight(spot)) / WEIGHT_UNIT) * amountRaw) / tokenUnit(market)
  return isDebt ? -slope : slope
}

const tokenUnit = (market: SpotMarket) => 10n ** BigInt(market.decimals)

function spotWeight({ market, amountRaw, isDebt }: SpotHolding): bigint {
  const size = sized(amountRaw, market.decimals)
  const factor = BigInt(market.imfFactor)
  if (isDebt) return premium(size, factor, BigInt(market.liabilityWeight))
  const weight = BigInt(market.assetWeight)
  if (factor === 0n) return weight
  const discounted = ((UNIT + UNIT / 10n) * WEIGHT_UNIT) / (UNIT + (rootOf(size) * factor) / ROOT_UNIT)
  return discounted < weight ? discounted : weight
}

/** With nine decimals. */
function sized(amountRaw: bigint, decimals: number): bigint {
  const digits = BigInt(Math.abs(decimals - BASE_DIGITS))
  return decimals > BASE_DIGITS ? amountRaw / 10n ** digits : amountRaw * 10n ** digits
}

/** A weight of what is owed, raised with its size. */
function premium(size: bigint, factor: bigint, weight: bigint): bigint {
  if (factor === 0n) return weight
  const raised = weight - weight / 5n + (rootOf(size) * factor) / ((ROOT_UNIT * UNIT) / WEIGHT_UNIT)
  return raised > weight ? raised : weight
}

function perpMargin(perp: PerpHolding): Margin {
  const { market, quote, base, profit } = perp
  const price = priceOf(perp)
  const isShort = base < 0n
  // A short of a bet on an outcome can lose what the outcome pays above the price.
  const atRisk = isShort && market.contract === PREDICTION ? UNIT - price : price
  const liability = ((isShort ? -base : base) * atRisk) / BASE_UNIT
  const quotePrice = quote.lastPrice
  const worth = (profit * quotePrice) / UNIT
  const weight = BigInt(market.profitWeight)
  return {
    collateral: worth > 0n ? (worth * weight) / WEIGHT_UNIT : worth,
    required: isSettled(market) ? 0n : (((liability * quotePrice) / UNIT) * marginRatio(perp)) / WEIGHT_UNIT,
  }
}

function marginRatio({ market, base, highLeverage }: PerpHolding): bigint {
  const other = BigInt(market.highLeverageRatio)
  const mayUse = highLeverage && other > 0n && market.highLeverageInitialRatio > 0
  const ratio = mayUse ? other : BigInt(market.marginRatio)
  return premium(base < 0n ? -base : base, BigInt(market.imfFactor), ratio)
}

/** The square root of ten sizes and one, rounded down. */
function rootOf(size: bigint): bigint {
  const value = size * 10n + 1n
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (let next = (root + value / root) >> 1n; next < root; next = (root + value / root) >> 1n) root = next
  return root
}
