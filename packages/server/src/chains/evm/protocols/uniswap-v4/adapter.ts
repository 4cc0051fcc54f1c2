import { z } from 'zod'
import { type EvmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import { NotFoundYet } from '../../../../domain/not-found-yet.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { inPages } from '../../../../lib/pages.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, TRANSFER, topicOf, word } from '../../decode/log-words.ts'
import type { NftStep } from '../../decode/protocol-history.ts'
import { saleProbe } from '../../reader/sale-probe.ts'
import { type ProtocolAdapter, rowsByChain } from '../adapter.ts'
import { addressSchema, deployedOf } from '../deployment.ts'
import { asGained, type NftState, nftDraft } from '../shared/v3-positions.ts'
import chains from './chains.json' with { type: 'json' }
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

/** Within 3 million gas: an open NFT costs 40,000 to 80,000, one of others 5,000. */
const PAGE_NFTS = 32
const FEE_UNITS_PER_PERCENT = 10_000
/** A hook sets the fee. */
const DYNAMIC_FEE = 0x80_00_00
/** Hook address bit: may keep part of a removal. */
const TAKES_FROM_REMOVALS = 1n << 0n

/**
 * Logs name IDs; the manager's balance proves completeness. With a hook at removals, a simulated removal is the limit.
 */
export const uniswapV4: ProtocolAdapter<Deployment> = {
  name: 'uniswap_v4',
  deployment,
  /** Source: Uniswap's sdk-core. */
  rows: rowsByChain({ key: 'uniswap_v4', name: 'Uniswap V4', siteUrl: 'https://app.uniswap.org' }, chains),
  lenses: [uniswapV4Lens],

  discover: ({ reader, deployment: { positionManager } }) =>
    deployedOf(reader, [{ address: positionManager, role: 'manager', fungible: false, underlyings: [] }]),

  keyLogs: ({ positionManager }) => [{ contract: positionManager, topic: TRANSFER, walletAt: 2, keyAt: 3 }],

  provesKeys: true,

  async positions({ reader, wallet, deployment: { positionManager, poolManager, stateView }, held, keys, leftOut }) {
    const balance = held.find(({ address }) => address === positionManager)?.balanceRaw ?? 0n
    if (balance === 0n) return []
    const ids = keys.map(({ key }) => key)
    const pages = await inPages(ids, PAGE_NFTS, (page) => {
      const args = [positionManager, stateView, wallet, page] as const
      return reader.lens(uniswapV4Lens, { functionName: 'positions', args }, { at: wallet, lens: saleProbe })
    })
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

  /** The pool manager logs no amounts: its transfers show them. A removal pays fees too, unseparated. */
  history: ({ poolManager, positionManager }) => ({
    purposes: { manager: 'liquidity' },
    contracts: [poolManager],
    nftSteps: (logs) => nftSteps(logs, poolManager, positionManager),
  }),
}

function draftOf(nft: Nft, pool: EvmAddress, manager: EvmAddress) {
  const { currency0: token0, currency1: token1, liquidity, insideLast0, insideLast1 } = nft
  // Unlike in v3, each NFT has its own account in the pool.
  const own = { liquidity, insideLast0, insideLast1, owed0: 0n, owed1: 0n }
  return { ...nftDraft({ ...nft, token0, token1, pool, own, pooled: own }, manager), label: labelOf(nft) }
}

function labelOf({ fee, lpFee, hooks }: Nft): string {
  const dynamic = fee === DYNAMIC_FEE ? ', dynamic' : ''
  const kept = (BigInt(hooks) & TAKES_FROM_REMOVALS) !== 0n ? ', hook may keep a part' : ''
  return `${lpFee / FEE_UNITS_PER_PERCENT}%${dynamic}${kept}`
}

const MODIFY = topicOf('ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)')
const LIQUIDITY_DELTA = 2
const SALT = 3

type Change = { tokenId: bigint; delta: bigint; paid: TokenAmount[] }

function nftSteps(logs: readonly ReceiptLog[], poolManager: EvmAddress, manager: EvmAddress): NftStep[] {
  const changes = changesIn(logs, poolManager, manager)
  const byNft = Map.groupBy(changes, ({ tokenId }) => tokenId)
  return [...byNft].map(([tokenId, own], place) => {
    const delta = own.reduce((sum, change) => sum + change.delta, 0n)
    const reduced = own.some((change) => change.delta < 0n)
    const taken = reduced ? 'principal' : 'fees'
    const as = delta > 0n ? 'put' : taken
    const step = { manager, tokenId, payers: [poolManager, manager], put: [], principal: [], fees: [], reduced }
    if (byNft.size === 1) return { ...step, rest: { as } }
    // The order of logs separates NFTs; the native coin has no logs.
    const said = { ...step, [as]: own.flatMap(({ paid }) => paid) }
    return place === 0 ? { ...said, rest: { as, token: NATIVE } } : said
  })
}

function changesIn(logs: readonly ReceiptLog[], poolManager: EvmAddress, manager: EvmAddress): Change[] {
  const changes: Change[] = []
  for (const log of logs) {
    const change = log.address === poolManager ? changeOf(log, manager) : undefined
    if (change) changes.push(change)
    else changes.at(-1)?.paid.push(...paidBetween(log, poolManager))
  }
  return changes
}

function changeOf(log: ReceiptLog, manager: EvmAddress): Change | undefined {
  const tokenId = word(log, SALT)
  const delta = word(log, LIQUIDITY_DELTA)
  if (log.topics[0] !== MODIFY || addressTopic(log, 2) !== manager) return undefined
  if (tokenId === undefined || delta === undefined) return undefined
  return { tokenId, delta: BigInt.asIntN(256, delta), paid: [] }
}

function paidBetween(log: ReceiptLog, poolManager: EvmAddress): TokenAmount[] {
  return transfersOf(log).flatMap(({ token, tokenId, amountRaw, from, to }) =>
    tokenId === null && (from === poolManager || to === poolManager) ? [{ token, amountRaw }] : [],
  )
}
