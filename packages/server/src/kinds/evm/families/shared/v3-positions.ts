import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { Position, PositionDraft } from '../../../../domain/position.ts'
import type { LeftOut } from '../family.ts'
import { collectable, type NftState, principal } from './v3-math.ts'

/** An NFT as `v3-positions.sol` reads it. */
export type Nft = NftState & { tokenId: bigint; token0: string; token1: string; fee: number; pool: string }

/**
 * NFTs per lens call. An open one costs some 75,000 gas, so a page stays below the 3 million that a reader plans for a
 * lens.
 */
const PAGE_NFTS = 32
/**
 * Anyone can send NFTs to a wallet, so the number of reads is limited. Of a wallet with more than twice as many, this
 * many of the oldest and of the newest are read: those from before a flood, and those from after it.
 */
const NFTS_PER_END = 512
/** Fees are in millionths of the amount. */
const FEE_UNITS_PER_PERCENT = 10_000

type Range = readonly [start: bigint, end: bigint]

/**
 * Pages of the `count` NFTs that a contract lists for a wallet. Of more than 1,024, or twice `perEnd`, closed ones
 * included, the middle is left out and reported.
 */
export function nftPages(
  count: bigint,
  leftOut: LeftOut,
  { perEnd = NFTS_PER_END, perPage = PAGE_NFTS } = {},
): Range[] {
  const ranges = readRanges(count, BigInt(perEnd))
  if (ranges.length > 1) leftOut(new Error(`the wallet has ${count} position NFTs, too many to read all of them`))
  return ranges.flatMap((range) => pagesOf(range, perPage))
}

/** Which of the wallet's NFTs are read, by index in its list: the order of acquisition, as long as it keeps them. */
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

/** What taking the NFT's liquidity out would pay as supply, and what `collect` would pay as rewards. */
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
