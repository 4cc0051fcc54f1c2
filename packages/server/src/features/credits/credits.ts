import { Failure } from '@coffer/contract'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Db, Trx } from '../../db/tables.ts'
import {
  ask,
  chargeQueue,
  closeKey,
  closeQueue,
  type HoldSource,
  holdQueue,
  LedgerUnavailable,
} from './ledger-statements.ts'

/** Expires after 120 s without `post` or `release`. */
export type Hold = { readonly id: string; readonly accountId: string; readonly amount: number }

export type Receipt = { readonly key: string }

export type Credits = ReturnType<typeof createCredits>

const sweepBatch = 500

/**
 * A double-entry ledger, shared by all processes. No balance falls below zero. Calls refused for lack of credits write
 * nothing. Without the database calls reject with `OVERLOADED`; credits taken all the same are given back.
 */
export function createCredits({ pool, log }: { pool: pg.Pool; log: (message: string) => void }) {
  let charged = 0
  const charges = chargeQueue(pool)
  const holds = holdQueue(pool)
  const posts = closeQueue(pool, 'posted', 'answered')
  const releases = closeQueue(pool, 'voided', 'failed')
  const debts = createDebts({ log, giveBack: (keys) => giveBackKeys(pool, keys) })

  const orOverloaded = (error: unknown): never => {
    if (!(error instanceof LedgerUnavailable)) throw error
    debts.owe(error.inDoubt)
    throw overloaded(error)
  }

  return {
    /** Excludes held credits. */
    available: (accountId: string): Promise<number> => availableTo(pool, accountId).catch(orOverloaded),

    /** For calls that can hardly fail afterwards. Durable when it resolves. */
    async charge(accountId: string, amount: number, requestId: string): Promise<Receipt> {
      checkAmount(amount)
      charged += 1
      // The count keeps a repeated request ID from failing its whole batch.
      const key = `charge:${requestId}:${charged.toString(36)}`
      const available = await charges.push({ accountId, amount, key }).catch(orOverloaded)
      if (available !== null) throw insufficient(amount, available)
      return { key }
    },

    /** Idempotent. */
    async giveBack({ key }: Receipt): Promise<void> {
      await giveBackKeys(pool, [key]).catch((error: unknown) => {
        debts.owe([key])
        return orOverloaded(error)
      })
    },

    /** For a charge whose transaction may have committed. */
    giveBackLater: ({ key }: Receipt): void => debts.owe([key]),

    /** Undefined: repeated source and key. */
    async hold(accountId: string, amount: number, source: HoldSource): Promise<Hold | undefined> {
      checkAmount(amount)
      const { state, chargeId, available } = await holds.push({ accountId, amount, ...source }).catch(orOverloaded)
      if (state === 'insufficient') throw insufficient(amount, available)
      return state === 'held' ? { id: chargeId, accountId, amount } : undefined
    },

    /** Throws `OVERLOADED` if the hold had ended: the call is unpaid. */
    async post(hold: Hold): Promise<Receipt> {
      const first = await posts.push(hold).catch(orOverloaded)
      if (!first) throw overloaded()
      return { key: closeKey(hold.id) }
    },

    /** Without the database the hold expires. */
    async release(hold: Hold): Promise<void> {
      await releases.push(hold).catch((error: unknown) => {
        if (!(error instanceof LedgerUnavailable)) throw error
      })
    },

    sweep: (): Promise<number> => sweepExpired(pool).catch(orOverloaded),

    async drain(): Promise<void> {
      await Promise.all([charges, holds, posts, releases].map((queue) => queue.drain()))
      // Refused callers note their debts a few microtasks later.
      await new Promise((resolve) => setImmediate(resolve))
      await debts.settle()
    },
  }
}

/** Commits with its effect. Locks the account's row until then. `key` is single-use. */
export async function chargeInTransaction(trx: Trx, accountId: string, amount: number, key: string): Promise<void> {
  checkAmount(amount)
  const { rows } = await sql<{ refused: (bigint | null)[] }>`
    select credit_charge_many(${[accountId]}, ${[amount]}, ${[key]}) as refused`.execute(trx)
  const available = rows[0]?.refused[0] ?? null
  if (available !== null) throw insufficient(amount, available)
}

/** Returns false for a repeated reference. */
export async function grantCredits(
  db: Db,
  grant: { accountId: string; amount: number; reference: string },
): Promise<boolean> {
  checkAmount(grant.amount)
  const { rows } = await sql<{ granted: boolean }>`
    select credit_grant(${grant.accountId}, ${grant.amount}, ${grant.reference}) as granted`.execute(db)
  return rows[0]?.granted === true
}

async function availableTo(pool: pg.Pool, accountId: string): Promise<number> {
  const text = 'select available from credit_account where account_id = $1'
  const [row] = await ask<{ available: bigint }>(pool, { text, values: [accountId] })
  return Number(row?.available ?? 0)
}

async function giveBackKeys(pool: pg.Pool, keys: readonly string[]): Promise<void> {
  await ask(pool, { text: 'select credit_give_back($1)', values: [keys] })
}

async function sweepExpired(pool: pg.Pool): Promise<number> {
  let swept = 0
  for (;;) {
    const [row] = await ask<{ n: number }>(pool, { text: 'select credit_sweep($1) as n', values: [sweepBatch] })
    const n = row?.n ?? 0
    swept += n
    if (n < sweepBatch) return swept
  }
}

function checkAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount <= 0) throw new RangeError(`Not an amount of credits: ${amount}`)
}

function insufficient(creditsRequired: number, available: bigint | number): Failure {
  const extras = { creditsRequired, creditsAvailable: Number(available) }
  return new Failure('INSUFFICIENT_CREDITS', 'Insufficient credits', extras)
}

export function overloaded(cause?: unknown): Failure {
  const failure = new Failure('OVERLOADED', 'The service is temporarily unavailable', { retryAfterSeconds: 5 })
  failure.cause = cause
  return failure
}

/** Exceeds the statement timeout (5 s): a statement with a lost answer has by then committed or never will. */
const patienceMs = 6_000
/** The first success shows that the database answers; the last comes `patienceMs` later. */
const triesNeeded = 2

/** `giveBack` skips keys that took nothing or were refunded. */
function createDebts(options: { giveBack(keys: readonly string[]): Promise<void>; log: (message: string) => void }) {
  /** Successful tries by key. */
  const owed = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  /** For shutdown. */
  const settle = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const keys = [...owed.keys()]
    if (keys.length === 0) return
    try {
      await options.giveBack(keys)
      for (const key of keys) countTry(key)
    } catch {
      const charges = `${keys.length} charges with a lost answer`
      options.log(`${charges} could not be given back yet; check that the database answers`)
    }
  }

  const countTry = (key: string) => {
    const tries = (owed.get(key) ?? 0) + 1
    if (tries < triesNeeded) owed.set(key, tries)
    else owed.delete(key)
  }

  const settleLater = () => {
    if (owed.size === 0 || timer !== undefined) return
    timer = setTimeout(() => void settle().then(settleLater), patienceMs)
    timer.unref()
  }

  return {
    owe(keys: readonly string[]): void {
      for (const key of keys) owed.set(key, 0)
      settleLater()
    },
    settle,
  }
}
