import { z } from 'zod'
import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import { pagesOf } from '../../../../lib/pages.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { saleProbe } from '../../reader/sale-probe.ts'
import {
  type HeldContract,
  type LeftOut,
  type ProtocolAdapter,
  type ProtocolContract,
  rowsOfForks,
} from '../adapter.ts'
import { addressSchema, isDeployed } from '../deployment.ts'
import { readAlone } from '../each-alone.ts'
import { v3NftSteps } from '../shared/v3-history.ts'
import { collectable } from '../shared/v3-math.ts'
import { asGained, type Gain, type Nft, nftDraft, nftPages } from '../shared/v3-positions.ts'
import { algebraLens } from './algebra-lens.bytecode.ts'
import forks from './forks.json' with { type: 'json' }

/** Each may use up the gas of its proof. */
const RECOGNISED_PER_CALL = 16
/** From either end of an unlisted manager's list: each call may use up its gas. */
const STRANGERS_NFTS_PER_END = 64

const deployment = z.strictObject({
  factory: addressSchema,
  manager: addressSchema.optional(),
  /** `v1`: Algebra 1.0 and 1.9, whose pools log fee updates. Matters for history only. */
  generation: z.enum(['v1', 'later']).default('later'),
})

type Deployment = z.infer<typeof deployment>
type Scope = { reader: EvmReader; deployment: Deployment; wallet: EvmAddress; leftOut: LeftOut }
type AlgebraNft = Nft & { isAsked: boolean; mayKeep: boolean; gain: Gain }

/**
 * Supply is what `decreaseLiquidity` would pay, rewards what `collect` would pay. If a plugin is asked, a position
 * counts as far as a simulated removal pays it.
 */
export const algebra: ProtocolAdapter<Deployment> = {
  name: 'algebra',
  deployment,
  /**
   * Sources: DefiLlama's adapters (factories); the protocols' repositories and documents, Algebra's list of subgraph
   * deployments (managers); Algebra's documents (generations).
   */
  rows: rowsOfForks(forks),
  lenses: [algebraLens],
  eachAlone: true,
  countsWhereSent: true,

  async discover({ reader, deployment: { manager } }) {
    if (!manager || !(await isDeployed(reader, manager))) return []
    return [protocolContractOf(manager)]
  },

  /** The pool must confirm the liquidity that the contract claims. */
  async recognise({ reader, deployment: { factory }, tokens }) {
    if (!(await isDeployed(reader, factory))) return []
    const found = await Promise.all(
      pagesOf(tokens, RECOGNISED_PER_CALL).map(async (page) => {
        const proofs = await reader.lens(algebraLens, { functionName: 'recognise', args: [factory, page] })
        return page.flatMap((address, i) => (proofs[i] ? [protocolContractOf(address)] : []))
      }),
    )
    return found.flat()
  },

  vouches: isNamed,

  /** If the deployment's own manager refuses, the deployment keeps its last positions. */
  async positions({ held, ...scope }) {
    const { own = [], recognised = [] } = Object.groupBy(held, (manager) =>
      isNamed(scope.deployment, manager) ? 'own' : 'recognised',
    )
    const found = await Promise.all([
      ...own.map((manager) => readOwn(scope, manager)),
      readAlone(recognised, scope.leftOut, (manager) => readRecognised(scope, manager)),
    ])
    return found.flat()
  },

  history: ({ generation }) => ({
    purposes: { manager: 'liquidity' },
    nftSteps: (logs, _, isOwn) => {
      const managers = [...new Set(logs.map(({ address }) => address))].filter(isOwn)
      return managers.flatMap((manager) => v3NftSteps(logs, manager, { logsUpdates: generation === 'v1' }))
    },
  }),
}

const protocolContractOf = (address: EvmAddress): ProtocolContract => ({
  address,
  role: 'manager',
  fungible: false,
  underlyings: [],
})

function isNamed({ manager }: Deployment, { address }: ProtocolContract): boolean {
  return address === manager
}

async function readOwn(scope: Scope, manager: HeldContract): Promise<PositionDraft[]> {
  const nfts = await readNfts(scope, manager)
  return nfts.map((nft) => draftOf(nft, manager, collectable(nft), scope.leftOut))
}

async function readRecognised(scope: Scope, manager: HeldContract): Promise<PositionDraft[]> {
  const leftOut: LeftOut = (why) => scope.leftOut(why, manager, 'part')
  const nfts = await readNfts({ ...scope, leftOut }, manager, { perEnd: STRANGERS_NFTS_PER_END })
  return withinPool(nfts).map(({ nft, fees }) => draftOf(nft, manager, fees, leftOut))
}

async function readNfts(
  { reader, wallet, deployment: { factory }, leftOut }: Scope,
  { address: manager, balanceRaw }: HeldContract,
  ends: { perEnd?: number } = {},
): Promise<AlgebraNft[]> {
  const pages = await Promise.all(
    nftPages(balanceRaw, leftOut, ends).map(([start, end]) =>
      reader.lens(
        algebraLens,
        { functionName: 'positions', args: [manager, factory, wallet, start, end] },
        { at: wallet, lens: saleProbe },
      ),
    ),
  )
  return pages.flat().map(({ position, ...nft }) => ({ ...position, ...nft }))
}

function draftOf(
  nft: AlgebraNft,
  { address }: ProtocolContract,
  fees: readonly [bigint, bigint],
  leftOut: LeftOut,
): PositionDraft {
  const draft = nftDraft(nft, address)
  const rewards = draft.rewards.map(({ token }, i) => ({ token, amountRaw: fees[i] ?? 0n }))
  const all = { ...draft, rewards, label: nft.mayKeep ? 'Dynamic fee, plugin may keep a part' : 'Dynamic fee' }
  return nft.isAsked ? asGained(all, nft.gain, leftOut) : all
}

type Left = { liquidity: bigint; fees0: bigint; fees1: bigint }

/** Limits an unlisted manager's NFTs, per range, to its part of the pool. Drops one that claims more than is left. */
function withinPool<N extends Nft>(nfts: readonly N[]): { nft: N; fees: [bigint, bigint] }[] {
  const ranges = new Map<string, Left>()
  return nfts.flatMap((nft) => {
    const range = `${nft.pool} ${nft.tickLower} ${nft.tickUpper}`
    const left = ranges.get(range) ?? allOf(nft)
    ranges.set(range, left)
    if (nft.own.liquidity > left.liquidity) return []
    const [fees0, fees1] = collectable(nft)
    const fees: [bigint, bigint] = [least(fees0, left.fees0), least(fees1, left.fees1)]
    left.liquidity -= nft.own.liquidity
    left.fees0 -= fees[0]
    left.fees1 -= fees[1]
    return [{ nft, fees }]
  })
}

function allOf({ pooled, ...nft }: Nft): Left {
  const [fees0, fees1] = collectable({ ...nft, pooled, own: pooled })
  return { liquidity: pooled.liquidity, fees0, fees1 }
}

const least = (one: bigint, other: bigint) => (one < other ? one : other)
