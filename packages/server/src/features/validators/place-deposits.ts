import type { BeaconPool } from '../../beacon/beacon-pool.ts'
import { NoHistory } from '../../beacon/beacon-request.ts'
import type { BeaconBlock, IncludedDeposit } from '../../beacon/block-requests.ts'
import { validatorsRequest } from '../../beacon/validator-requests.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { readBlocks } from './carrying-blocks.ts'
import type { DepositStore, UnplacedDeposit } from './deposit-store.ts'

/** Slots that are read together, and the most without any block that are believed. */
const WINDOW_SLOTS = 128

type Placed = { index: bigint; slot: number }

/**
 * Finds the blocks that carry deposits of the time before Electra: hours after the contract logged them, when proposers had
 * agreed on its tree. The chain takes deposits in the contract's order, so those of one validator come one after another.
 * Blocks are read once for all validators and only from the log on; how far is stored. Rejects with `UpstreamError`.
 */
export async function placeDeposits(
  { store, pool }: { store: Pick<DepositStore, 'listUnplaced' | 'place'>; pool: BeaconPool },
  finalSlot: number,
  signal: AbortSignal,
): Promise<void> {
  const failure = await placeGenesis(store, pool)
  while (!signal.aborted) {
    const unplaced = beyondGenesis(await store.listUnplaced())
    const from = Math.min(...unplaced.map(({ searchSlot }) => searchSlot))
    if (from > finalSlot) break
    const blocks = await readBlocks(pool, from, Math.min(from + WINDOW_SLOTS - 1, finalSlot))
    const last = blocks.at(-1)
    if (!last) throw new NoHistory(`the blocks from slot ${from} on`)
    const reached = unplaced.filter(({ searchSlot }) => searchSlot <= last.slot)
    await store.place(
      match(reached, blocks),
      reached.map(({ index }) => index),
      last.slot + 1,
    )
  }
  if (failure) throw failure
}

/** Of a validator whose first deposits may be in the first state, none has its turn before that is known. */
function beyondGenesis(deposits: readonly UnplacedDeposit[]): UnplacedDeposit[] {
  const open = new Set(deposits.filter(({ searchSlot }) => searchSlot === 0).map(({ validator }) => validator))
  return deposits.filter(({ validator }) => !open.has(validator))
}

/**
 * Of the deposits made before genesis, those that the first state has: as many as its balance is the sum of. Answers why it
 * could not, where no node has that state any more: the others need not wait for it.
 */
async function placeGenesis(
  store: Pick<DepositStore, 'listUnplaced' | 'place'>,
  pool: BeaconPool,
): Promise<NoHistory | undefined> {
  const early = (await store.listUnplaced()).filter(({ searchSlot }) => searchSlot === 0)
  if (early.length === 0) return undefined
  const byValidator = Map.groupBy(early, ({ validator }) => validator)
  const state = await pool.request(validatorsRequest(0, [...byValidator.keys()])).catch(orNoHistory)
  if (state instanceof NoHistory) return state
  const balances = new Map(state.map(({ index, balanceGwei }) => [index, balanceGwei]))
  const placed: Placed[] = []
  for (const [validator, deposits] of byValidator) {
    let restGwei = balances.get(validator) ?? 0n
    for (const { index, amountGwei } of deposits) {
      restGwei -= amountGwei
      if (restGwei < 0n) break
      placed.push({ index, slot: 0 })
    }
  }
  await store.place(
    placed,
    early.map(({ index }) => index),
    1,
  )
  return undefined
}

function orNoHistory(thrown: unknown): NoHistory {
  if (thrown instanceof NoHistory) return thrown
  throw thrown
}

/** The next deposit of a validator that blocks carry is the next one that the contract logged. */
function match(deposits: readonly UnplacedDeposit[], blocks: readonly BeaconBlock[]): Placed[] {
  const waiting = Map.groupBy(deposits, ({ pubkey }) => pubkey)
  const placed: Placed[] = []
  for (const { slot, deposits: carried } of blocks) {
    for (const found of carried.filter(({ depositIndex }) => depositIndex === null)) {
      const [next] = waiting.get(found.pubkey) ?? []
      if (!next || next.searchSlot > slot) continue
      assertSame(next, found)
      placed.push({ index: next.index, slot })
      waiting.get(found.pubkey)?.shift()
    }
  }
  return placed
}

function assertSame(logged: UnplacedDeposit, carried: IncludedDeposit): void {
  const isSame =
    logged.amountGwei === carried.amountGwei && logged.withdrawalCredentials === carried.withdrawalCredentials
  if (!isSame) throw new UpstreamError('invalid', `deposit ${logged.index} is another in the beacon chain`)
}
