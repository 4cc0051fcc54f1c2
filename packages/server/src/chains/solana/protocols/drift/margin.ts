import type { TokenAmount } from '../../../../domain/position.ts'
import type { PerpMarket, SpotMarket } from './layout.ts'

/** For USD, prices, and the factor that raises weights with the size. */
const UNIT = 10n ** 6n
const WEIGHT_UNIT = 10n ** 4n
const BASE_DIGITS = 9
const BASE_UNIT = 10n ** 9n
/** Root of a size with ten digits. */
const ROOT_UNIT = 10n ** 5n
const PREDICTION = 2
const IN_SETTLEMENT = 7

export type SpotHolding = TokenAmount & { market: SpotMarket; isDebt: boolean }

/** `profit`: in `quote`, signed. `highLeverage`: uses the market's other ratio. */
export type PerpHolding = {
  market: PerpMarket
  quote: SpotMarket
  base: bigint
  profit: bigint
  highLeverage: boolean
}

/** USD with 6 decimals. Less collateral than required allows liquidation. */
export type Margin = { collateral: bigint; required: bigint }

/** Without open orders, which a liquidation cancels first. `deposit`: further USD. Source: Drift's SDK. */
export function marginOf(
  spots: readonly SpotHolding[],
  perps: readonly PerpHolding[],
  deposit = 0n,
): Margin | undefined {
  const coins = [...spots.map(({ market }) => market), ...perps.flatMap(({ market, quote }) => [market, quote])]
  if (coins.some(({ lastPrice }) => lastPrice <= 0n)) return undefined
  const parts = [...spots.map(spotMargin), ...perps.map(perpMargin)]
  return {
    collateral: parts.reduce((sum, part) => sum + part.collateral, deposit),
    required: parts.reduce((sum, part) => sum + part.required, 0n),
  }
}

/** USD with 6 decimals. Undefined if no price uses up the margin, or if another oracle decides. */
export function liquidationPriceOf(
  margin: Margin,
  perp: PerpHolding,
  spots: readonly SpotHolding[],
): bigint | undefined {
  const { market, base } = perp
  const ratio = (marginRatio(perp) * UNIT) / WEIGHT_UNIT
  const isOther = spots.some((spot) => spot.market.oracleSource !== market.oracleSource)
  if (base === 0n || isOther || market.contract === PREDICTION || isSettled(market)) return undefined
  const own = base > 0n ? ((UNIT - ratio) * base) / BASE_UNIT : ((UNIT + ratio) * base) / BASE_UNIT
  const slope = spots.reduce((sum, spot) => sum + slopeOf(spot), own)
  if (slope === 0n) return undefined
  const free = margin.collateral > margin.required ? margin.collateral - margin.required : 0n
  const price = market.lastPrice - (free * UNIT) / slope
  return price > 0n ? price : undefined
}

/** 18 decimals; liquidation begins below 1. */
export const healthOf = ({ collateral, required }: Margin): bigint | undefined => {
  if (required === 0n) return undefined
  return collateral > 0n ? (collateral * 10n ** 18n) / required : 0n
}

export const isSettled = (market: PerpMarket) => market.status === IN_SETTLEMENT

function spotMargin(spot: SpotHolding): Margin {
  const { market, amountRaw, isDebt } = spot
  const value = (amountRaw * market.lastPrice) / tokenUnit(market)
  const weighted = (value * spotWeight(spot)) / WEIGHT_UNIT
  return isDebt ? { collateral: 0n, required: weighted } : { collateral: weighted, required: 0n }
}

/** Change of free collateral per USD of the asset's price. */
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

function premium(size: bigint, factor: bigint, weight: bigint): bigint {
  if (factor === 0n) return weight
  const raised = weight - weight / 5n + (rootOf(size) * factor) / ((ROOT_UNIT * UNIT) / WEIGHT_UNIT)
  return raised > weight ? raised : weight
}

function perpMargin(perp: PerpHolding): Margin {
  const { market, quote, base, profit } = perp
  const isShort = base < 0n
  // A short of an outcome can lose the payout above the price.
  const atRisk = isShort && market.contract === PREDICTION ? UNIT - market.lastPrice : market.lastPrice
  const liability = ((isShort ? -base : base) * atRisk) / BASE_UNIT
  const worth = (profit * quote.lastPrice) / UNIT
  return {
    collateral: worth > 0n ? (worth * BigInt(market.profitWeight)) / WEIGHT_UNIT : worth,
    required: isSettled(market) ? 0n : (((liability * quote.lastPrice) / UNIT) * marginRatio(perp)) / WEIGHT_UNIT,
  }
}

function marginRatio({ market, base, highLeverage }: PerpHolding): bigint {
  const other = BigInt(market.highLeverageRatio)
  const mayUse = highLeverage && other > 0n && market.highLeverageInitialRatio > 0
  const ratio = mayUse ? other : BigInt(market.marginRatio)
  return premium(base < 0n ? -base : base, BigInt(market.imfFactor), ratio)
}

function rootOf(size: bigint): bigint {
  const value = size * 10n + 1n
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (let next = (root + value / root) >> 1n; next < root; next = (root + value / root) >> 1n) root = next
  return root
}
