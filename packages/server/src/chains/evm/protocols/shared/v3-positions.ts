import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { LeftOut } from '../adapter.ts'
import { collectable, min, type NftState, principal } from './v3-math.ts'

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
