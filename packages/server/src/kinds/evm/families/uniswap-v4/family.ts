import { z } from 'zod'
import type { EvmAddress } from '../../../../domain/evm-address.ts'
import { NotFoundYet } from '../../../../domain/not-found-yet.ts'
import { pagesOf } from '../../../../lib/pages.ts'
import { TRANSFER } from '../../history/log-words.ts'
import { saleProbe } from '../../reader/sale-probe.ts'
import { addressSchema, isDeployed } from '../deployment.ts'
import type { Family } from '../family.ts'
import { asGained } from '../shared/removal.ts'
import type { NftState } from '../shared/v3-math.ts'
import { nftDraft } from '../shared/v3-positions.ts'
import { uniswapV4History } from './history.ts'
import { uniswapV4Rows } from './rows.ts'
import { uniswapV4Lens } from './uniswap-v4-lens.bytecode.ts'

const deployment = z.strictObject({
  /** Keeps all pools and their tokens. */
  poolManager: addressSchema,
  /** Issues the NFTs. */
  positionManager: addressSchema,
  stateView: addressSchema,
})

type Deployment = z.infer<typeof deployment>

/** An NFT as the lens reads it. */
type Nft = Omit<NftState, 'own' | 'pooled'> & {
  tokenId: bigint
  currency0: string
  currency1: string
  hooks: string
  fee: number
  lpFee: number
  liquidity: bigint
  insideLast0: bigint
  insideLast1: bigint
}

type NftDraft = ReturnType<typeof nftDraft>

/**
 * NFTs per lens call. An open one costs 40,000 to 80,000 gas, one that is not the wallet's 5,000, so that a page stays
 * below the 3 million that a reader plans for a lens.
 */
const PAGE_NFTS = 32
/** Fees are in millionths of the amount. */
const FEE_UNITS_PER_PERCENT = 10_000
/** In the place of a fee: a hook sets it. */
const DYNAMIC_FEE = 0x80_00_00
/** Of a hook's address: it may keep a part of what is taken out. */
const TAKES_FROM_REMOVALS = 1n << 0n

/**
 * Uniswap v4: every open position NFT of a wallet with what taking it out would pay as supply and its fees as rewards,
 * both to the last unit. The manager lists no NFTs by owner: their ids come from the wallet's logs, and its balance
 * proves that none is missing. Where a hook is asked at a removal, a position counts as far as a simulated removal by the
 * wallet pays it.
 */
export const uniswapV4: Family<Deployment> = {
  name: 'uniswap_v4',
  deployment,
  rows: uniswapV4Rows,
  lenses: [uniswapV4Lens],

  async discover({ reader, deployment: { positionManager } }) {
    if (!(await isDeployed(reader, positionManager))) return []
    return [{ address: positionManager, role: 'manager', fungible: false, underlyings: [] }]
  },

  keyLogs: ({ positionManager }) => [{ contract: positionManager, topic: TRANSFER, walletAt: 2, keyAt: 3 }],

  provesKeys: true,

  async positions({ reader, wallet, deployment: { positionManager, poolManager, stateView }, held, keys, leftOut }) {
    const balance = held.find(({ address }) => address === positionManager)?.balanceRaw ?? 0n
    if (balance === 0n) return []
    const ids = keys.map(({ key }) => key)
    const pages = await Promise.all(
      pagesOf(ids, PAGE_NFTS).map((page) => {
        const args = [positionManager, stateView, wallet, page] as const
        return reader.lens(uniswapV4Lens, { functionName: 'positions', args }, { at: wallet, lens: saleProbe })
      }),
    )
    const owned = pages.reduce((sum, [count]) => sum + count, 0n)
    if (owned < balance) {
      leftOut(new NotFoundYet(`the wallet has ${balance} position NFTs, and its logs have named ${owned} of them`))
    }
    return pages.flatMap(([, open, gains]) => {
      const gainOf = new Map(gains.map((gain) => [gain.tokenId, gain]))
      return open.map((nft) => {
        const draft = draftOf(nft, poolManager, positionManager)
        const gain = gainOf.get(nft.tokenId)
        return gain ? asGained(draft, gain, leftOut) : draft
      })
    })
  },

  history: ({ poolManager, positionManager }) => uniswapV4History(poolManager, positionManager),
}

function draftOf(nft: Nft, pool: EvmAddress, manager: EvmAddress): NftDraft {
  const { currency0: token0, currency1: token1, liquidity, insideLast0, insideLast1 } = nft
  // Unlike in v3, each NFT has an account of its own in the pool, which is settled and paid in one step.
  const own = { liquidity, insideLast0, insideLast1, owed0: 0n, owed1: 0n }
  return { ...nftDraft({ ...nft, token0, token1, pool, own, pooled: own }, manager), label: labelOf(nft) }
}

function labelOf({ fee, lpFee, hooks }: Nft): string {
  const mayKeep = (BigInt(hooks) & TAKES_FROM_REMOVALS) !== 0n
  const facts = [...(fee === DYNAMIC_FEE ? ['dynamic'] : []), ...(mayKeep ? ['hook may keep a part'] : [])]
  return [`${lpFee / FEE_UNITS_PER_PERCENT}%`, ...facts].join(', ')
}
