import { createLane, type Lane } from '../../lib/lane.ts'

/** The account is locked by another transaction; nothing was done. */
export const BUSY = Symbol('busy')

/** Bounds a statement's parameters and lock time. */
const MAX_BATCH = 500
/** Batches to join before waiting for the lock; most locks last one short statement. */
const IMPATIENT_TURNS = 3

/** Impatient batches return `BUSY` for locked accounts. */
type Decide<T, R> = (batch: readonly T[], patient: boolean) => Promise<readonly (R | typeof BUSY)[]>

type OwnLane<T, R> = { lane: Lane<T, R | typeof BUSY>; open: number }

/**
 * The shared queue waits for no lock. Items of an account that stays locked move to its own queue, so they delay no
 * other account.
 */
export function createAccountLanes<T extends { accountId: string }, R>(decide: Decide<T, R>): Lane<T, R> {
  const shared = createLane<T, R | typeof BUSY>({ maxBatch: MAX_BATCH, run: (batch) => decide(batch, false) })
  const own = new Map<string, OwnLane<T, R>>()

  async function push(item: T): Promise<R> {
    for (let turn = 0; turn < IMPATIENT_TURNS && !own.has(item.accountId); turn += 1) {
      const result = await shared.push(item)
      if (result !== BUSY) return result
    }
    return pushOwn(item)
  }

  async function pushOwn(item: T): Promise<R> {
    const { accountId } = item
    const waiting = own.get(accountId) ?? {
      lane: createLane({ maxBatch: MAX_BATCH, run: (batch: readonly T[]) => decide(batch, true) }),
      open: 0,
    }
    own.set(accountId, waiting)
    waiting.open += 1
    try {
      const result = await waiting.lane.push(item)
      if (result === BUSY) throw new Error('a patient statement left an account alone')
      return result
    } finally {
      waiting.open -= 1
      if (waiting.open === 0) own.delete(accountId)
    }
  }

  async function drain(): Promise<void> {
    await shared.drain()
    await Promise.all([...own.values()].map(({ lane }) => lane.drain()))
  }

  return { push, drain }
}
