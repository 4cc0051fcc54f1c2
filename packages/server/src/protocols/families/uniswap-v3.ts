import { z } from 'zod'
import { evmAddress } from '../../domain/evm-address.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { Family, PositionDraft } from '../adapter.ts'
import { uniswapV3Lens } from '../contracts/uniswap-v3-lens.ts'
import { addressSchema, isDeployed } from '../deployment.ts'
import { uniswapV3History } from './uniswap-v3.history.ts'
import { collectable, type NftState, principal } from './uniswap-v3.math.ts'

const deployment = z.strictObject({
  manager: addressSchema,
  factory: addressSchema,
  /** Where a fork has other tiers than Uniswap's: those in which its pools are asked for prices. */
  feeTiers: z.array(z.int().positive()).optional(),
})

type Deployment = z.infer<typeof deployment>
type Nft = NftState & { tokenId: bigint; token0: string; token1: string; fee: number; pool: string }

/** NFTs a lens call enumerates. An open one costs some 75,000 gas; a page stays below the 3 million a reader plans a lens with. */
const PAGE_NFTS = 32
/** More than anybody manages by hand; NFTs can be sent to a wallet unasked, and reading them must end. */
const MAX_NFTS = 1_000
/** Fees are in millionths of the amount. */
const FEE_UNITS_PER_PERCENT = 10_000

/**
 * Uniswap v3 and the forks that kept its position manager: every open NFT with what taking it out would pay
 * (`decreaseLiquidity`) as supply and what `collect` would pay as rewards, both to the last unit.
 * A wallet with more than 1,000 NFTs, closed ones included, is unreadable here.
 */
export const uniswapV3: Family<Deployment> = {
  name: 'uniswap_v3',
  deployment,

  async discover({ reader, deployment: { manager } }) {
    if (!(await isDeployed(reader, manager))) return []
    return [{ address: manager, role: 'manager', fungible: false, underlyings: [] }]
  },

  async positions({ reader, wallet, deployment: { manager, factory }, held }) {
    const count = held.find(({ address }) => address === manager)?.balanceRaw ?? 0n
    if (count > MAX_NFTS) throw new UpstreamError('invalid', `the wallet has ${count} position NFTs, too many to read`)
    const starts = Array.from({ length: Math.ceil(Number(count) / PAGE_NFTS) }, (_, page) => BigInt(page * PAGE_NFTS))
    const pages = await Promise.all(
      starts.map((start) => {
        const end = start + BigInt(PAGE_NFTS) < count ? start + BigInt(PAGE_NFTS) : count
        return reader.lens(uniswapV3Lens, { functionName: 'positions', args: [manager, factory, wallet, start, end] })
      }),
    )
    return pages.flat().map((nft) => draftOf(nft, manager))
  },

  history: ({ manager }) => uniswapV3History(manager),
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
