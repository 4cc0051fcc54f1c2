import { z } from 'zod'
import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import { inPages } from '../../../../lib/pages.ts'
import { saleProbe } from '../../reader/sale-probe.ts'
import {
  type HeldContract,
  type LeftOut,
  type PositionScope,
  type ProtocolAdapter,
  type ProtocolContract,
  rowsOfForks,
} from '../adapter.ts'
import { addressSchema, deployedOf, isDeployed, readAlone } from '../deployment.ts'
import { v3NftSteps } from '../shared/v3-history.ts'
import { asGained, collectable, type Gain, min, type Nft, nftDraft, nftPages } from '../shared/v3-positions.ts'
import { algebraLens } from './algebra-lens.bytecode.ts'
import forks from './forks.json' with { type: 'json' }

/** Each may use up the gas of its proof. */
const RECOGNISED_PER_CALL = 16
/** From either end of an unlisted manager's list: each call may use up its gas. */
const UNTRUSTED_NFTS_PER_END = 64

const deployment = z.strictObject({
  factory: addressSchema,
  manager: addressSchema.optional(),
  /** `v1`: Algebra 1.0 and 1.9, whose pools log fee updates. Matters for history only. */
  generation: z.enum(['v1', 'later']).default('later'),
})

type Deployment = z.infer<typeof deployment>
type Scope = PositionScope<Deployment>
type AlgebraNft = Nft & { isAsked: boolean; mayKeep: boolean; gain: Gain }

/**
 * Amounts are what `decreaseLiquidity` and `collect` would pay. If a plugin is asked, a position counts as far as a
 * simulated removal pays it.
 */
export const algebra: ProtocolAdapter<Deployment> = {
  name: 'algebra',
  deployment,
  /** Sources: DefiLlama's adapters (factories), the protocols' and Algebra's documents (managers, generations). */
  rows: rowsOfForks(forks),
  lenses: [algebraLens],
  eachAlone: true,
  countsWhereSent: true,

  discover: ({ reader, deployment: { manager } }) => deployedOf(reader, manager ? [protocolContractOf(manager)] : []),

  /** The pool must confirm the liquidity that the contract claims. */
  async recognise({ reader, deployment: { factory }, tokens }) {
    if (!(await isDeployed(reader, factory))) return []
    const found = await inPages(tokens, RECOGNISED_PER_CALL, async (page) => {
      const proofs = await reader.lens(algebraLens, { functionName: 'recognise', args: [factory, page] })
      return page.filter((_, i) => proofs[i]).map(protocolContractOf)
    })
    return found.flat()
  },

  vouches: isNamed,

  /** If its own manager refuses, the deployment keeps its last positions. */
  async positions(scope) {
    const { own = [], recognised = [] } = Object.groupBy(scope.held, (manager) =>
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
  const nfts = await readNfts({ ...scope, leftOut }, manager, { perEnd: UNTRUSTED_NFTS_PER_END })
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

/** Limits an unlisted manager's NFTs, per range, to its part of the pool. Drops those beyond it. */
function withinPool<N extends Nft>(nfts: readonly N[]): { nft: N; fees: [bigint, bigint] }[] {
  const ranges = new Map<string, { liquidity: bigint; due: [bigint, bigint] }>()
  return nfts.flatMap((nft) => {
    const range = `${nft.pool} ${nft.tickLower} ${nft.tickUpper}`
    const left = ranges.get(range) ?? { liquidity: nft.pooled.liquidity, due: collectable({ ...nft, own: nft.pooled }) }
    ranges.set(range, left)
    if (nft.own.liquidity > left.liquidity) return []
    const [fees0, fees1] = collectable(nft)
    const fees: [bigint, bigint] = [min(fees0, left.due[0]), min(fees1, left.due[1])]
    left.liquidity -= nft.own.liquidity
    left.due[0] -= fees[0]
    left.due[1] -= fees[1]
    return [{ nft, fees }]
  })
}
