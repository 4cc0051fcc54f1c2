/** Liquidity, fee growth inside the range when it was last settled, and what is owed: of one NFT, or of the pool's range. */
export type Share = {
  liquidity: bigint
  insideLast0: bigint
  insideLast1: bigint
  owed0: bigint
  owed1: bigint
}

/** State of one NFT position and its pool. Prices are √(token1 per token0) in 96 fractional bits. */
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
const Q128 = 1n << 128n
const MAX_256 = (1n << 256n) - 1n
const MAX_TICK = 887_272

/**
 * √1.0001^-(2^i) in 128 fractional bits, for each bit i of a tick: the constants of Uniswap's TickMath, rounded as there.
 * The first belongs to bit 0.
 */
const TICK_FACTORS = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
] as const

/** The price at a tick, bit for bit as the pool computes it. */
export function sqrtPriceAtTick(tick: number): bigint {
  const distance = Math.abs(tick)
  if (!Number.isInteger(tick) || distance > MAX_TICK) throw new RangeError(`tick ${tick} is out of range`)
  let ratio = Q128
  for (const [bit, factor] of TICK_FACTORS.entries()) {
    if ((distance >> bit) & 1) ratio = (ratio * factor) >> 128n
  }
  if (tick > 0) ratio = MAX_256 / ratio
  return (ratio + 0xffffffffn) >> 32n
}

/** What taking out all of the NFT's liquidity pays (`decreaseLiquidity`), to the unit. */
export function principal({ tickLower, tickUpper, tick, sqrtPriceX96, own }: NftState): [bigint, bigint] {
  const lower = sqrtPriceAtTick(tickLower)
  const upper = sqrtPriceAtTick(tickUpper)
  if (tick < tickLower) return [amount0(lower, upper, own.liquidity), 0n]
  if (tick >= tickUpper) return [0n, amount1(lower, upper, own.liquidity)]
  return [amount0(sqrtPriceX96, upper, own.liquidity), amount1(lower, sqrtPriceX96, own.liquidity)]
}

/**
 * What `collect` pays for the NFT now, to the unit: fees since it was last settled and what is owed from before. The pool
 * keeps one account for all NFTs of a range and rounds by itself, so that it may have a unit less than the NFT is owed.
 */
export function collectable({ inside0, inside1, own, pooled }: NftState): [bigint, bigint] {
  const settles = own.liquidity > 0n
  const settled = (share: Share, inside: bigint, last: bigint, owed: bigint) =>
    settles ? BigInt.asUintN(128, owed + earned(share.liquidity, inside, last)) : owed
  return [
    min(settled(own, inside0, own.insideLast0, own.owed0), settled(pooled, inside0, pooled.insideLast0, pooled.owed0)),
    min(settled(own, inside1, own.insideLast1, own.owed1), settled(pooled, inside1, pooled.insideLast1, pooled.owed1)),
  ]
}

/** The growth counters wrap around by design: only their difference modulo 2^256 means something. */
function earned(liquidity: bigint, inside: bigint, insideLast: bigint): bigint {
  return (BigInt.asUintN(256, inside - insideLast) * liquidity) >> 128n
}

function amount0(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return ((liquidity << 96n) * (upper - lower)) / upper / lower
}

function amount1(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return (liquidity * (upper - lower)) / Q96
}

const min = (a: bigint, b: bigint) => (a < b ? a : b)
