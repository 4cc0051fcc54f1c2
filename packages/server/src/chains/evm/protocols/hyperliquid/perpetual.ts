import type { Perpetual } from '../../../../domain/position.ts'

/** Money has 6 digits, `markPrice` 6 less `sizeDecimals`. */
export type Perp = {
  coin: string
  /** Negative: short. */
  size: bigint
  entryNotional: bigint
  isolatedUsd: bigint
  markPrice: bigint
  leverage: number
  isIsolated: boolean
  marginTable: number
  sizeDecimals: number
}

/** From 6 digits to 18. */
const TO_FIGURE = 10n ** 12n
const UNIT = 10n ** 18n
/** Margin tables with a lower number have one tier, whose leverage is the number. */
const FIRST_TIERED_TABLE = 50

const notionalOf = ({ size, markPrice }: Perp) => size * markPrice
const magnitude = (value: bigint) => (value < 0n ? -value : value)

export function worthOf(perp: Perp): bigint {
  if (perp.isIsolated) return perp.isolatedUsd + notionalOf(perp)
  return notionalOf(perp) - (perp.size < 0n ? -perp.entryNotional : perp.entryNotional)
}

export function detailsOf(perp: Perp): Perpetual {
  const { size, entryNotional, leverage, sizeDecimals } = perp
  const scale = 10n ** BigInt(sizeDecimals)
  const liquidationPriceRaw = liquidationPriceOf(perp, scale)
  return {
    side: size < 0n ? 'short' : 'long',
    sizeRaw: (magnitude(size) * UNIT) / scale,
    entryPriceRaw: (entryNotional * TO_FIGURE * scale) / magnitude(size),
    ...(leverage > 0 && { leverageRaw: BigInt(leverage) * UNIT, marginUsedRaw: marginOf(perp) }),
    ...(liquidationPriceRaw !== undefined && { liquidationPriceRaw }),
  }
}

function marginOf(perp: Perp): bigint {
  if (!perp.isIsolated) return (magnitude(notionalOf(perp)) * TO_FIGURE) / BigInt(perp.leverage)
  const margin = worthOf(perp) * TO_FIGURE
  return margin > 0n ? margin : 0n
}

/**
 * Price at which the margin is half of what the maximum leverage asks for. Undefined if margin is shared or leverage
 * falls with size: HyperCore reports no tiers to contracts.
 */
function liquidationPriceOf({ size, isolatedUsd, isIsolated, marginTable }: Perp, scale: bigint): bigint | undefined {
  if (!isIsolated || marginTable === 0 || marginTable >= FIRST_TIERED_TABLE) return undefined
  const doubled = 2n * BigInt(marginTable)
  const isShort = size < 0n
  const owed = isShort ? isolatedUsd : -isolatedUsd
  if (owed <= 0n) return undefined
  return (owed * TO_FIGURE * scale * doubled) / (magnitude(size) * (isShort ? doubled + 1n : doubled - 1n))
}
