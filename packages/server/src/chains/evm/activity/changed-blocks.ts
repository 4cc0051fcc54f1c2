import type { BlockRange } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import { type AccountState, readStates, type StatePoint } from './account-states.ts'
import { effectOf, type KnownActivity, type NativeSearch } from './known-activity.ts'

/** Not explained by known activity. */
export type ChangedBlock = { wallet: EvmAddress; block: bigint; changeRaw: bigint }

/** The caller must split the range. */
export class TooManyChanges extends Error {
  override readonly name = 'TooManyChanges'
}

type Point = { block: bigint; state: AccountState }
type Segment = { wallet: EvmAddress; before: Point; after: Point }

const MOST_CHANGES = 1_000
/** States per batch: many cuts of few segments save trips, one cut of many saves requests. */
const WAVE = 240
const MOST_CUTS = 15

/** With `byNonce`: a wallet without code spends coins only with its nonce. Throws `StateUnavailable`. */
export async function findChangedBlocks(
  { endpoint, known, range }: NativeSearch,
  wallets: readonly EvmAddress[],
  byNonce: boolean,
): Promise<ChangedBlock[]> {
  const indexes = new Map(wallets.map((wallet) => [wallet, indexOf(known, wallet)]))
  const isOneBlock = ({ before, after }: Segment) => after.block - before.block === 1n
  const isOpen = ({ wallet, before, after }: Segment) => {
    const explained = indexes.get(wallet)?.explain(before.block, after.block)
    const isExplained = after.state.balanceRaw - before.state.balanceRaw === explained?.effectRaw
    return !isExplained || (byNonce && after.state.nonce - before.state.nonce !== explained?.sent)
  }
  const changed: ChangedBlock[] = []
  let open = (await wholeSegments(endpoint, wallets, range, byNonce)).filter(isOpen)
  while (open.length > 0) {
    for (const { wallet, before, after } of open.filter(isOneBlock)) {
      changed.push({ wallet, block: after.block, changeRaw: after.state.balanceRaw - before.state.balanceRaw })
    }
    const wide = open.filter((segment) => !isOneBlock(segment))
    if (changed.length + wide.length > MOST_CHANGES && range.toBlock > range.fromBlock) throw new TooManyChanges()
    const cuts = Math.max(1, Math.min(MOST_CUTS, Math.floor(WAVE / wide.length)))
    const cutsOf = ({ wallet, before, after }: Segment) => {
      const boundaries = indexes.get(wallet)?.boundaries(before.block, after.block) ?? []
      if (boundaries.length === 0) return evenly(before.block, after.block, cuts)
      if (boundaries.length <= cuts) return boundaries
      return evenly(-1n, BigInt(boundaries.length), cuts).map((i) => boundaries[Number(i)] as bigint)
    }
    open = (await divide(endpoint, wide, cutsOf)).filter(isOpen)
  }
  return changed.sort((a, b) => Number(a.block - b.block))
}

async function wholeSegments(
  endpoint: RpcEndpoint,
  wallets: readonly EvmAddress[],
  { fromBlock, toBlock }: BlockRange,
  byNonce: boolean,
): Promise<Segment[]> {
  const nonce = byNonce ? null : 0n
  const ends = [fromBlock - 1n, toBlock]
  const points = wallets.flatMap((wallet) => ends.map((block) => ({ wallet, block, nonce })))
  const states = await readStates(endpoint, points)
  return wallets.map((wallet, i) => ({
    wallet,
    before: { block: fromBlock - 1n, state: states[2 * i] as AccountState },
    after: { block: toBlock, state: states[2 * i + 1] as AccountState },
  }))
}

async function divide(
  endpoint: RpcEndpoint,
  segments: readonly Segment[],
  cutsOf: (segment: Segment) => readonly bigint[],
): Promise<Segment[]> {
  const cut = segments.map((segment) => ({ segment, blocks: cutsOf(segment) }))
  const points = cut.flatMap(({ segment: { wallet, before, after }, blocks }): StatePoint[] => {
    // A nonce never decreases: between equal ones it is constant.
    const nonce = before.state.nonce === after.state.nonce ? before.state.nonce : null
    return blocks.map((block) => ({ wallet, block, nonce }))
  })
  const states = await readStates(endpoint, points)
  let next = 0
  return cut.flatMap(({ segment: { wallet, before, after }, blocks }) => {
    const inside = blocks.map((block, i) => ({ block, state: states[next + i] as AccountState }))
    next += blocks.length
    const all = [before, ...inside, after]
    return all.slice(1).map((end, i) => ({ wallet, before: all[i] as Point, after: end }))
  })
}

function evenly(before: bigint, after: bigint, cuts: number): bigint[] {
  const blocks = Array.from({ length: cuts }, (_, i) => before + ((after - before) * BigInt(i + 1)) / BigInt(cuts + 1))
  return [...new Set(blocks)].filter((block) => block > before && block < after)
}

type Effect = { effectRaw: bigint; sent: bigint }
const NO_EFFECT: Effect = { effectRaw: 0n, sent: 0n }

function plus(one = NO_EFFECT, other = NO_EFFECT): Effect {
  return { effectRaw: one.effectRaw + other.effectRaw, sent: one.sent + other.sent }
}

function indexOf(known: KnownActivity, wallet: EvmAddress) {
  const effects = new Map<bigint, Effect>()
  for (const transaction of known.transactions.values()) {
    const effect = { effectRaw: effectOf(known, wallet, transaction), sent: transaction.from === wallet ? 1n : 0n }
    const isNamed = known.named.get(transaction.hash)?.has(wallet)
    if (effect.effectRaw === 0n && effect.sent === 0n && !isNamed) continue
    effects.set(transaction.block, plus(effects.get(transaction.block), effect))
  }
  const blocks = [...effects.keys()].sort((a, b) => (a < b ? -1 : 1))
  const sums = [NO_EFFECT]
  for (const block of blocks) sums.push(plus(sums.at(-1), effects.get(block)))
  const upTo = (block: bigint) => sums[countUpTo(blocks, block)] ?? NO_EFFECT
  return {
    explain(before: bigint, after: bigint) {
      const [low, high] = [upTo(before), upTo(after)]
      return { effectRaw: high.effectRaw - low.effectRaw, sent: high.sent - low.sent }
    },
    /** Blocks of known activity and their predecessors: changes are likely there. */
    boundaries(before: bigint, after: bigint): bigint[] {
      const inside = blocks.slice(countUpTo(blocks, before), countUpTo(blocks, after))
      const around = inside.flatMap((block) => [block - 1n, block])
      return [...new Set(around)].filter((block) => block > before && block < after)
    },
  }
}

function countUpTo(blocks: readonly bigint[], block: bigint): number {
  let [low, high] = [0, blocks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((blocks[middle] ?? 0n) <= block) low = middle + 1
    else high = middle
  }
  return low
}
