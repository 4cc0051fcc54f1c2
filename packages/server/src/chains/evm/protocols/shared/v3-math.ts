import { sqrtPriceAtTick } from '../../../../domain/tick-price.ts'

/** `insideLast`: fee growth when last settled. */
type Share = { liquidity: bigint; insideLast0: bigint; insideLast1: bigint; owed0: bigint; owed1: bigint }

/** Prices are √(token1 per token0) in 96 fractional bits. */
export type NftState = {
  tickLower: number
  tickUpper: number
  tick: number
  sqrtPriceX96: bigint
  inside0: bigint
  inside1: bigint
  own: Share
  pooled: Share
}

const Q96 = 1n << 96n

/** Exact result of `decreaseLiquidity`. */
export function principal({ tickLower, tickUpper, tick, sqrtPriceX96, own }: NftState): [bigint, bigint] {
  const lower = sqrtPriceAtTick(tickLower)
  const upper = sqrtPriceAtTick(tickUpper)
  if (tick < tickLower) return [amount0(lower, upper, own.liquidity), 0n]
  if (tick >= tickUpper) return [0n, amount1(lower, upper, own.liquidity)]
  return [amount0(sqrtPriceX96, upper, own.liquidity), amount1(lower, sqrtPriceX96, own.liquidity)]
}

/** Exact result of `collect`. The pool's account per range rounds on its own, and may have a unit less. */
export function collectable({ inside0, inside1, own, pooled }: NftState): [bigint, bigint] {
  const settles = own.liquidity > 0n
  const settled = (share: Share, inside: bigint, last: bigint, owed: bigint) =>
    settles ? BigInt.asUintN(128, owed + earned(share.liquidity, inside, last)) : owed
  return [
    min(settled(own, inside0, own.insideLast0, own.owed0), settled(pooled, inside0, pooled.insideLast0, pooled.owed0)),
    min(settled(own, inside1, own.insideLast1, own.owed1), settled(pooled, inside1, pooled.insideLast1, pooled.owed1)),
  ]
}

/** Growth counters wrap by design: only their difference modulo 2^256 counts. */
function earned(liquidity: bigint, inside: bigint, insideLast: bigint): bigint {
  return (BigInt.asUintN(256, inside - insideLast) * liquidity) >> 128n
}

function amount0(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return ((liquidity << 96n) * (upper - lower)) / upper / lower
}

function amount1(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return (liquidity * (upper - lower)) / Q96
}

export const min = (a: bigint, b: bigint) => (a < b ? a : b)
