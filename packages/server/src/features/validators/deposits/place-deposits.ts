import type { BeaconPool } from '../../../beacon/beacon-pool.ts'
import { NoHistory } from '../../../beacon/beacon-request.ts'
import type { BeaconBlock, IncludedDeposit } from '../../../beacon/block-requests.ts'
import { validatorsRequest } from '../../../beacon/validator-requests.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { readBlocks } from './carrying-blocks.ts'
import type { DepositStore, UnplacedDeposit } from './deposit-store.ts'

/** Slots read together. A window without any block is not believed. */
const WINDOW_SLOTS = 128
/** A block carries no more than that, by the presets of all networks. */
const BLOCK_DEPOSITS = 16
/** Deposits matched together: one more than the blocks of a window hold, so that one is always left. */
const WAITING = WINDOW_SLOTS * BLOCK_DEPOSITS + 1
/** Keys that are asked for together in the first state. */
const EARLY_KEYS = 1_000

type Placed = { index: bigint; slot: number }
type Store = Pick<DepositStore, 'listEarly' | 'listWaiting' | 'place'>

/**
 * Finds the blocks that include deposits of the time before Electra: hours after the contract logged them, once
 * proposers had agreed on its tree. The chain includes deposits in contract order, so if one is in no block yet, no
 * later one is. Blocks are therefore read once for all validators, from the first waiting deposit's log on; that
 * deposit stores the cursor. Rejects with `UpstreamError`.
 */
export async function placeDeposits(
  { store, pool }: { store: Store; pool: BeaconPool },
  finalSlot: number,
  signal: AbortSignal,
): Promise<void> {
  const failure = await placeGenesis(store, pool, signal)
  while (!signal.aborted) {
    const waiting = await store.listWaiting(WAITING)
    const [first] = waiting
    if (!first || first.searchSlot > finalSlot) break
    const to = Math.min(first.searchSlot + WINDOW_SLOTS - 1, finalSlot)
    const blocks = await readBlocks(pool, first.searchSlot, to)
    const last = blocks.at(-1)
    if (!last) throw new NoHistory(`the blocks from slot ${first.searchSlot} on`)
    const found = match(waiting, blocks)
    // If all listed deposits matched, unlisted ones might match as well.
    if (found.length === WAITING) throw new UpstreamError('invalid', 'blocks carry more deposits than they can')
    const left = waiting.slice(found.length).filter(({ searchSlot }) => searchSlot <= last.slot)
    // At finality every waiting deposit stores the cursor, because pages report it; before, the first one suffices.
    const lookedFor = to === finalSlot ? left : left.slice(0, 1)
    await store.place(
      found,
      lookedFor.map(({ index }) => index),
      last.slot + 1,
    )
  }
  if (failure) throw failure
}

/**
 * Places the deposits made before genesis that the genesis state contains: as many as its balance is the sum of.
 * Returns the failure if no node has that state any more, so that other deposits need not wait for it.
 */
async function placeGenesis(store: Store, pool: BeaconPool, signal: AbortSignal): Promise<NoHistory | undefined> {
  while (!signal.aborted) {
    const early = await store.listEarly(EARLY_KEYS)
    if (early.length === 0) break
    const byKey = Map.groupBy(early, ({ pubkey }) => pubkey)
    const state = await pool.request(validatorsRequest(0, [...byKey.keys()])).catch(orNoHistory)
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

/** The first deposits whose sum is at most the balance. */
function within(balanceGwei: bigint, deposits: readonly UnplacedDeposit[]): Placed[] {
  const placed: Placed[] = []
  let restGwei = balanceGwei
  for (const { index, amountGwei } of deposits) {
    restGwei -= amountGwei
    if (restGwei < 0n) break
    placed.push({ index, slot: 0 })
  }
  return placed
}

function orNoHistory(thrown: unknown): NoHistory {
  if (thrown instanceof NoHistory) return thrown
  throw thrown
}

/** Matches waiting deposits to blocks in contract order; deposits of validators that are not tracked are skipped. */
function match(waiting: readonly UnplacedDeposit[], blocks: readonly BeaconBlock[]): Placed[] {
  const placed: Placed[] = []
  for (const { slot, deposits: carried } of blocks) {
    for (const found of carried.filter(({ depositIndex }) => depositIndex === null)) {
      const next = waiting[placed.length]
      if (next?.pubkey !== found.pubkey || next.searchSlot > slot) continue
      assertSame(next, found)
      placed.push({ index: next.index, slot })
    }
  }
  return placed
}

function assertSame(logged: UnplacedDeposit, carried: IncludedDeposit): void {
  const isSame =
    logged.amountGwei === carried.amountGwei && logged.withdrawalCredentials === carried.withdrawalCredentials
  if (!isSame) throw new UpstreamError('invalid', `deposit ${logged.index} is another in the beacon chain`)
}
