import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { sqrtPriceAtTick } from '../../../../domain/tick-price.ts'
import type { LeftOut } from '../adapter.ts'

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

export type Nft = NftState & { tokenId: bigint; token0: string; token1: string; fee: number; pool: string }

/** Within 3 million gas: an open NFT costs some 75,000. */
const PAGE_NFTS = 32
/** Anyone can send NFTs: reads those from before and after a flood. */
const NFTS_PER_END = 512
const FEE_UNITS_PER_PERCENT = 10_000

type PairDraft = PositionDraft & { rewards: TokenAmount[] }

type Range = readonly [start: bigint, end: bigint]

/** In order of acquisition. Leaves out and reports the middle of more than twice `perEnd` NFTs. */
export function nftPages(
  count: bigint,
  leftOut: LeftOut,
  { perEnd = NFTS_PER_END, perPage = PAGE_NFTS } = {},
): Range[] {
  const most = BigInt(perEnd)
  if (count <= 2n * most) return rangesIn([0n, count], BigInt(perPage))
  leftOut(new Error(`the wallet has ${count} position NFTs, too many to read all of them`))
  return [...rangesIn([0n, most], BigInt(perPage)), ...rangesIn([count - most, count], BigInt(perPage))]
}

function rangesIn([start, end]: Range, size: bigint): Range[] {
  const ranges: Range[] = []
  for (let from = start; from < end; from += size) ranges.push([from, from + size < end ? from + size : end])
  return ranges
}

export function nftDraft(nft: Nft, manager: EvmAddress): PairDraft {
  const tokens = [evmAddress(nft.token0), evmAddress(nft.token1)]
  const amounts = (pair: [bigint, bigint]) => tokens.map((token, i) => ({ token, amountRaw: pair[i] ?? 0n }))
  return {
    kind: 'nft-liquidity',
    label: `${nft.fee / FEE_UNITS_PER_PERCENT}%`,
    pool: evmAddress(nft.pool),
    tokenId: nft.tokenId,
    supplied: amounts(principal(nft)),
    rewards: amounts(collectable(nft)),
    receipts: [manager],
  }
}

/** Amounts mean nothing if not `tried`. */
export type Gain = { tried: boolean; amount0: bigint; amount1: bigint }

/** A simulated removal is the limit: the pool creator's code may keep all, or refuse. */
export function asGained(draft: PairDraft, gain: Gain, leftOut: LeftOut): PairDraft {
  if (!gain.tried) leftOut(new Error(`what the owner of position ${draft.tokenId} can take out is not known`))
  const paid = gain.tried ? [gain.amount0, gain.amount1] : []
  const supplied = draft.supplied.map((amount, i) => upTo(amount, paid[i] ?? 0n))
  const rewards = draft.rewards.map((amount, i) => upTo(amount, (paid[i] ?? 0n) - (supplied[i]?.amountRaw ?? 0n)))
  return { ...draft, supplied, rewards }
}

const upTo = ({ token, amountRaw }: TokenAmount, most: bigint) => ({ token, amountRaw: min(amountRaw, most) })
