import pg from 'pg'
import { isDatabaseUnavailable } from '../../db/unavailable.ts'
import { createWorkQueue, type WorkQueue } from '../../lib/work-queue.ts'

/** Unique per account. */
export type HoldSource = { readonly source: 'request' | 'sync_batch' | 'snapshot_term'; readonly key: string }

type Amount = { readonly accountId: string; readonly amount: number }
type HoldOutcome = { state: 'held' | 'insufficient' | 'duplicate'; chargeId: string; available: number }

/** Longer than any request (40 s), so no live request loses its hold. */
const holdSeconds = 120
/** Reported by `credit_charge_many` for a locked account. */
const LOCKED = -1n

export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable'
  /** Keys of lines that may have been written. */
  readonly inDoubt: readonly string[]

  constructor(inDoubt: readonly string[], cause: unknown) {
    super('the credit ledger cannot be reached', { cause })
    this.inDoubt = inDoubt
  }
}

/** `taking`: keys of lines that take credits, in doubt once sent. */
export async function ask<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  query: pg.QueryConfig,
  taking: readonly string[] = [],
): Promise<Row[]> {
  const client = await pool.connect().catch((error: unknown) => {
    throw asUnavailable(error, [])
  })
  try {
    const { rows } = await client.query<Row>(query)
    client.release()
    return rows
  } catch (error) {
    // Only an error reported by the server leaves the connection usable.
    client.release(isDatabaseUnavailable(error) || !(error instanceof pg.DatabaseError))
    throw asUnavailable(error, taking)
  }
}

const asUnavailable = (error: unknown, inDoubt: readonly string[]) =>
  isDatabaseUnavailable(error) ? new LedgerUnavailable(inDoubt, error) : error

/** Result: null, or the available credits of a refused charge. */
export function chargeQueue(pool: pg.Pool): WorkQueue<Amount & { key: string }, bigint | null> {
  return createAccountQueues(async (batch, patient) => {
    const keys = batch.map(({ key }) => key)
    const values = [batch.map(({ accountId }) => accountId), batch.map(({ amount }) => amount), keys, patient]
    const text = 'select credit_charge_many($1, $2, $3, $4) as refused'
    const [row] = await ask<{ refused: (bigint | null)[] }>(pool, { text, values }, keys)
    return row?.refused.map((available) => (available === LOCKED ? BUSY : available)) ?? []
  })
}

/** A hold whose answer is lost expires. */
export function holdQueue(pool: pg.Pool): WorkQueue<Amount & HoldSource, HoldOutcome> {
  return createAccountQueues(async (batch, patient) => {
    const values = [
      batch.map(({ accountId }) => accountId),
      batch.map(({ amount }) => amount),
      batch.map(({ source }) => source),
      batch.map(({ key }) => key),
      `${holdSeconds} s`,
      patient,
    ]
    const text = 'select state, charge_id, available from credit_hold_many($1, $2, $3, $4, $5, $6) order by "position"'
    type Row = { state: HoldOutcome['state'] | 'busy'; charge_id: bigint | null; available: bigint | null }
    const rows = await ask<Row>(pool, { text, values })
    return rows.map(({ state, charge_id, available }) =>
      state === 'busy' ? BUSY : { state, chargeId: String(charge_id), available: Number(available) },
    )
  })
}

export const closeKey = (holdId: string): string => `close:${holdId}`

/** Results: true for the first end of a hold. */
export function closeQueue(
  pool: pg.Pool,
  target: 'posted' | 'voided',
  reason: string,
): WorkQueue<{ id: string; accountId: string }, boolean> {
  return createAccountQueues(async (holds, patient) => {
    const ids = holds.map(({ id }) => id)
    const text = 'select won, busy from credit_close($1, $2, $3, $4)'
    const taking = target === 'posted' ? ids.map(closeKey) : []
    const values = [ids, target, reason, patient]
    const [row] = await ask<{ won: bigint[]; busy: bigint[] }>(pool, { text, values }, taking)
    const [won, busy] = [new Set(row?.won.map(String)), new Set(row?.busy.map(String))]
    return ids.map((id) => (busy.has(id) ? BUSY : won.has(id)))
  })
}

/** The account is locked by another transaction; nothing was done. */
const BUSY = Symbol('busy')

/** Bounds a statement's parameters and lock time. */
const MAX_BATCH = 500
/** Batches to join before waiting for the lock. */
const IMPATIENT_TURNS = 3

/** Impatient batches return `BUSY` for locked accounts. */
type Decide<T, R> = (batch: readonly T[], patient: boolean) => Promise<readonly (R | typeof BUSY)[]>

/** The shared queue waits for no lock. Items of an account that stays locked move to a queue of its own. */
function createAccountQueues<T extends { accountId: string }, R>(decide: Decide<T, R>): WorkQueue<T, R> {
  const shared = createWorkQueue<T, R | typeof BUSY>({ maxBatch: MAX_BATCH, run: (batch) => decide(batch, false) })
  const own = new Map<string, { queue: WorkQueue<T, R | typeof BUSY>; open: number }>()

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
      queue: createWorkQueue({ maxBatch: MAX_BATCH, run: (batch: readonly T[]) => decide(batch, true) }),
      open: 0,
    }
    own.set(accountId, waiting)
    waiting.open += 1
    try {
      const result = await waiting.queue.push(item)
      if (result === BUSY) throw new Error('a patient statement left an account alone')
      return result
    } finally {
      waiting.open -= 1
      if (waiting.open === 0) own.delete(accountId)
    }
  }

  async function drain(): Promise<void> {
    await shared.drain()
    await Promise.all([...own.values()].map(({ queue }) => queue.drain()))
  }

  return { push, drain }
}
