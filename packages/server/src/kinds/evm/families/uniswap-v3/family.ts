import { z } from 'zod'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import { addressSchema, isDeployed } from '../deployment.ts'
import type { Family } from '../family.ts'
import { uniswapV3History } from './history.ts'
import { collectable, type NftState, principal } from './math.ts'
import { uniswapV3Rows } from './rows.ts'
import { uniswapV3Lens } from './uniswap-v3-lens.ts'

const deployment = z.strictObject({
  manager: addressSchema,
  factory: addressSchema,
  /** The fork's fee tiers, if they are not Uniswap's; its pools of these tiers are asked for prices. */
  feeTiers: z.array(z.int().positive()).optional(),
})

type Deployment = z.infer<typeof deployment>
type Nft = NftState & { tokenId: bigint; token0: string; token1: string; fee: number; pool: string }

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

/**
 * Uniswap v3 and the forks that kept its position manager: every open NFT with what taking it out would pay
 * (`decreaseLiquidity`) as supply and what `collect` would pay as rewards, both to the last unit.
 * Of a wallet with more than 1,024 NFTs, closed ones included, the middle is left out.
 */
export const uniswapV3: Family<Deployment> = {
  name: 'uniswap_v3',
  deployment,
  rows: uniswapV3Rows,
  lenses: [uniswapV3Lens],

  async discover({ reader, deployment: { manager } }) {
    if (!(await isDeployed(reader, manager))) return []
    return [{ address: manager, role: 'manager', fungible: false, underlyings: [] }]
  },

  async positions({ reader, wallet, deployment: { manager, factory }, held, leftOut }) {
    const count = held.find(({ address }) => address === manager)?.balanceRaw ?? 0n
    const ranges = readRanges(count)
    if (ranges.length > 1) leftOut(new Error(`the wallet has ${count} position NFTs, too many to read all of them`))
    const pages = await Promise.all(
      ranges.flatMap(pagesOf).map(([start, end]) => {
        return reader.lens(uniswapV3Lens, { functionName: 'positions', args: [manager, factory, wallet, start, end] })
      }),
    )
    return pages.flat().map((nft) => draftOf(nft, manager))
  },

  poolFactory: ({ factory, feeTiers }) => ({ kind: 'uniswap_v3', factory, ...(feeTiers && { feeTiers }) }),

  history: ({ manager }) => uniswapV3History(manager),
}

type Range = readonly [start: bigint, end: bigint]

/** Which of the wallet's NFTs are read, by index in its list: the order of acquisition, as long as it keeps them. */
function readRanges(count: bigint): Range[] {
  const perEnd = BigInt(NFTS_PER_END)
  if (count <= 2n * perEnd) return [[0n, count]]
  return [
    [0n, perEnd],
    [count - perEnd, count],
  ]
}

function pagesOf([start, end]: Range): Range[] {
  const pages = Array.from({ length: Math.ceil(Number(end - start) / PAGE_NFTS) }, (_, page) =>
    BigInt(page * PAGE_NFTS),
  )
  return pages.map((offset) => {
    const from = start + offset
    const to = from + BigInt(PAGE_NFTS)
    return [from, to < end ? to : end]
  })
}

function draftOf(nft: Nft, manager: PositionDraft['receipts'][number]): PositionDraft {
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
    borrowed: [],
    rewards: [
      { token: token0, amountRaw: fees0 },
      { token: token1, amountRaw: fees1 },
    ],
    receipts: [manager],
  }
}
