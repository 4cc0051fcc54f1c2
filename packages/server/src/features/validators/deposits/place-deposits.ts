import type { BeaconNode, BeaconPool } from '../../../beacon/beacon-pool.ts'
import { NoHistory } from '../../../beacon/beacon-request.ts'
import { type BeaconBlock, beaconBlockRequest, headerRequest } from '../../../beacon/block-requests.ts'
import { validatorsRequest } from '../../../beacon/validator-requests.ts'
import { createGate } from '../../../lib/concurrency.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Deposit, DepositStore } from './deposit-store.ts'

/** A window without any block is rejected. */
const WINDOW_SLOTS = 128
/** By the presets of all networks. */
const BLOCK_DEPOSITS = 16
/** More than a window's blocks hold, so that one is always left. */
const WAITING = WINDOW_SLOTS * BLOCK_DEPOSITS + 1
const EARLY_KEYS = 1_000

type Placed = { index: bigint; slot: number }

/**
 * Before Electra blocks include deposits in contract order, hours after their logs. The first waiting deposit stores the
 * cursor. Rejects with `UpstreamError`.
 */
export async function placeDeposits(pool: BeaconPool, store: DepositStore, finalSlot: number, signal: AbortSignal) {
  const failure = await placeGenesis(pool, store, signal)
  while (!signal.aborted) {
    const waiting = await store.listWaiting(WAITING)
    const [first] = waiting
    if (!first || first.searchSlot > finalSlot) break
    const to = Math.min(first.searchSlot + WINDOW_SLOTS - 1, finalSlot)
    const blocks = await readBlocks(pool, first.searchSlot, to)
    const last = blocks.at(-1)
    if (!last) throw new NoHistory(`the blocks from slot ${first.searchSlot} on`)
    const found = match(waiting, blocks)
    // Unlisted deposits might match too.
    if (found.length === WAITING) throw new UpstreamError('invalid', 'blocks carry more deposits than they can')
    const left = waiting.slice(found.length).filter(({ searchSlot }) => searchSlot <= last.slot)
    // At finality every waiting deposit stores the cursor, because pages report it.
    const lookedFor = to === finalSlot ? left : left.slice(0, 1)
    await store.place(
      found,
      lookedFor.map(({ index }) => index),
      last.slot + 1,
    )
  }
  if (failure) throw failure
}

/** The genesis state has as many deposits as sum up to its balance. Returns a failure if no node has it. */
async function placeGenesis(pool: BeaconPool, store: DepositStore, signal: AbortSignal) {
  while (!signal.aborted) {
    const early = await store.listEarly(EARLY_KEYS)
    if (early.length === 0) break
    const byKey = Map.groupBy(early, ({ pubkey }) => pubkey)
    const state = await pool.request(validatorsRequest(0, [...byKey.keys()])).catch((thrown: unknown) => {
      if (thrown instanceof NoHistory) return thrown
      throw thrown
    })
    if (state instanceof NoHistory) return state
    const balances = new Map(state.map(({ pubkey, balanceGwei }) => [pubkey, balanceGwei]))
    await store.place(
      [...byKey].flatMap(([pubkey, deposits]) => within(balances.get(pubkey) ?? 0n, deposits)),
      early.map(({ index }) => index),
      1,
    )
  }
  return undefined
}

function within(balanceGwei: bigint, deposits: readonly Deposit[]): Placed[] {
  const placed: Placed[] = []
  let restGwei = balanceGwei
  for (const { index, amountGwei } of deposits) {
    restGwei -= amountGwei
    if (restGwei < 0n) break
    placed.push({ index, slot: 0 })
  }
  return placed
}

/** Skips deposits of untracked validators. */
function match(waiting: readonly Deposit[], blocks: readonly BeaconBlock[]): Placed[] {
  const placed: Placed[] = []
  for (const { slot, deposits: carried } of blocks) {
    for (const found of carried.filter(({ depositIndex }) => depositIndex === null)) {
      const next = waiting[placed.length]
      if (next?.pubkey !== found.pubkey || next.searchSlot > slot) continue
      if (next.amountGwei !== found.amountGwei || next.withdrawalCredentials !== found.withdrawalCredentials) {
        throw new UpstreamError('invalid', `deposit ${next.index} is another in the beacon chain`)
      }
      placed.push({ index: next.index, slot })
    }
  }
  return placed
}

const AT_ONCE = 8

/** Slots are missed if the block after them has the block before them as parent; after the last block none is proven. */
async function readBlocks(pool: BeaconPool, from: number, to: number): Promise<BeaconBlock[]> {
  return pool.run(async (node) => {
    const slots = Array.from({ length: to - from + 1 }, (_, i) => from + i)
    const gate = createGate(AT_ONCE)
    const found = await Promise.all(slots.map((slot) => gate(() => node.request(beaconBlockRequest(slot)))))
    const blocks = found.filter((block) => block !== null)
    let expected = from
    for (const block of blocks) {
      if (block.slot !== expected) await proveMissed(node, expected, block)
      expected = block.slot + 1
    }
    return blocks
  })
}

async function proveMissed(node: BeaconNode, first: number, { slot, parentRoot }: BeaconBlock): Promise<void> {
  const parent = await node.request(headerRequest(parentRoot))
  if (!parent || parent.slot >= first) throw new NoHistory(`the blocks between slots ${first} and ${slot}`)
}
