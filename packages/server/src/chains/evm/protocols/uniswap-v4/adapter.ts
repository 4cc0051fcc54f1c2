import { z } from 'zod'
import type { EvmAddress } from '../../../../domain/evm-address.ts'
import { NotFoundYet } from '../../../../domain/not-found-yet.ts'
import { pagesOf } from '../../../../lib/pages.ts'
import { TRANSFER } from '../../decode/log-words.ts'
import { saleProbe } from '../../reader/sale-probe.ts'
import type { ProtocolAdapter } from '../adapter.ts'
import { addressSchema, isDeployed } from '../deployment.ts'
import { asGained } from '../shared/removal.ts'
import type { NftState } from '../shared/v3-math.ts'
import { nftDraft } from '../shared/v3-positions.ts'
import { uniswapV4History } from './history.ts'
import { uniswapV4Rows } from './rows.ts'
import { uniswapV4Lens } from './uniswap-v4-lens.bytecode.ts'

const deployment = z.strictObject({
  poolManager: addressSchema,
  positionManager: addressSchema,
  stateView: addressSchema,
})

type Deployment = z.infer<typeof deployment>

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

/** Within 3 million gas: an open NFT costs 40,000 to 80,000, one of others 5,000. */
const PAGE_NFTS = 32
const FEE_UNITS_PER_PERCENT = 10_000
/** A hook sets the fee. */
const DYNAMIC_FEE = 0x80_00_00
/** Hook address bit: may keep part of a removal. */
const TAKES_FROM_REMOVALS = 1n << 0n

/**
 * Uniswap v4. Ids come from logs; the manager's balance proves that none is missing. With a hook at removals, a
 * simulated removal limits the position.
 */
export const uniswapV4: ProtocolAdapter<Deployment> = {
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
  // Unlike in v3, each NFT has its own account in the pool.
  const own = { liquidity, insideLast0, insideLast1, owed0: 0n, owed1: 0n }
  return { ...nftDraft({ ...nft, token0, token1, pool, own, pooled: own }, manager), label: labelOf(nft) }
}

function labelOf({ fee, lpFee, hooks }: Nft): string {
  const mayKeep = (BigInt(hooks) & TAKES_FROM_REMOVALS) !== 0n
  const facts = [...(fee === DYNAMIC_FEE ? ['dynamic'] : []), ...(mayKeep ? ['hook may keep a part'] : [])]
  return [`${lpFee / FEE_UNITS_PER_PERCENT}%`, ...facts].join(', ')
}
