import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { Position, PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { LeftOut } from '../adapter.ts'
import { collectable, type NftState, principal } from './v3-math.ts'

export type Nft = NftState & { tokenId: bigint; token0: string; token1: string; fee: number; pool: string }

/** Within 3 million gas: an open NFT costs some 75,000. */
const PAGE_NFTS = 32
/** Anyone can send NFTs: reads those from before and after a flood. */
const NFTS_PER_END = 512
const FEE_UNITS_PER_PERCENT = 10_000

type Range = readonly [start: bigint, end: bigint]

/** Leaves out and reports the middle of more than twice `perEnd` NFTs. */
export function nftPages(
  count: bigint,
  leftOut: LeftOut,
  { perEnd = NFTS_PER_END, perPage = PAGE_NFTS } = {},
): Range[] {
  const ranges = readRanges(count, BigInt(perEnd))
  if (ranges.length > 1) leftOut(new Error(`the wallet has ${count} position NFTs, too many to read all of them`))
  return ranges.flatMap((range) => pagesOf(range, perPage))
}

/** The list is in order of acquisition. */
function readRanges(count: bigint, perEnd: bigint): Range[] {
  if (count <= 2n * perEnd) return [[0n, count]]
  return [
    [0n, perEnd],
    [count - perEnd, count],
  ]
}

function pagesOf([start, end]: Range, perPage: number): Range[] {
  const pages = Array.from({ length: Math.ceil(Number(end - start) / perPage) }, (_, page) => BigInt(page * perPage))
  return pages.map((offset) => {
    const from = start + offset
    const to = from + BigInt(perPage)
    return [from, to < end ? to : end]
  })
}

export function nftDraft(nft: Nft, manager: EvmAddress): PositionDraft & Pick<Position, 'rewards'> {
  const token0 = evmAddress(nft.token0)
  const token1 = evmAddress(nft.token1)
  const [supplied0, supplied1] = principal(nft)
  const [fees0, fees1] = collectable(nft)
  return {
    kind: 'nft-liquidity',
    label: `${nft.fee / FEE_UNITS_PER_PERCENT}%`,
    pool: evmAddress(nft.pool),
    tokenId: nft.tokenId,
    supplied: [
      { token: token0, amountRaw: supplied0 },
      { token: token1, amountRaw: supplied1 },
    ],
    rewards: [
      { token: token0, amountRaw: fees0 },
      { token: token1, amountRaw: fees1 },
    ],
    receipts: [manager],
  }
}

/** Amounts mean nothing if not `tried`. */
export type Gain = { tried: boolean; amount0: bigint; amount1: bigint }

type PairDraft = PositionDraft & Pick<Position, 'rewards' | 'tokenId'>

/** Limits a draft by a simulated removal: the pool creator's code may keep all, or refuse. */
export function asGained(draft: PairDraft, gain: Gain, leftOut: LeftOut): PairDraft {
  if (!gain.tried) leftOut(new Error(`what the owner of position ${draft.tokenId} can take out is not known`))
  const paid = gain.tried ? [gain.amount0, gain.amount1] : []
  const supplied = draft.supplied.map((amount, i) => upTo(amount, paid[i] ?? 0n))
  const rewards = draft.rewards.map((amount, i) => upTo(amount, (paid[i] ?? 0n) - (supplied[i]?.amountRaw ?? 0n)))
  return { ...draft, supplied, rewards }
}

const upTo = ({ token, amountRaw }: TokenAmount, most: bigint) => ({
  token,
  amountRaw: amountRaw < most ? amountRaw : most,
})

/** The same addresses on every EVM chain except zkSync. */
export const PANCAKE_V3 = {
  manager: '0x46a15b0b27311cedf172ab29e4f4766fbe7f4364',
  factory: '0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865',
} as const
