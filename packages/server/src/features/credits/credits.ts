import { Failure } from '@coffer/contract'
import { type Kysely, sql, type Transaction } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../../db/tables.ts'
import { createDebts } from './debts.ts'
import {
  type Ask,
  chargeLane,
  closeKey,
  closeLane,
  createAsk,
  type HoldSource,
  holdLane,
  LedgerUnavailable,
} from './ledger-statements.ts'

/** Credits set aside for a call that may still fail. Ends by `post` or `release`, or by itself after 120 s. */
export type Hold = { readonly id: string; readonly accountId: string; readonly amount: number }

/** A charge, by which the credits are given back if the call fails after all. */
export type Receipt = { readonly key: string }

export type Credits = ReturnType<typeof createCredits>

const sweepBatch = 500

/**
 * The accounts' prepaid credits: a double-entry ledger in PostgreSQL that any number of processes share. The cost of a
 * call is durable before the call is answered, an account never goes below zero, and a call refused for lack of credits
 * writes nothing. Concurrent calls share statements and commits: one lane each for charges, holds and their ends.
 * Without the database calls reject with `OVERLOADED`; credits taken all the same are given back.
 */
export function createCredits(options: { pool: pg.Pool; log: (message: string) => void }) {
  const ask = createAsk(options.pool)
  let charged = 0
  const charges = chargeLane(ask)
  const holds = holdLane(ask)
  const posts = closeLane(ask, 'posted', 'answered')
  const releases = closeLane(ask, 'voided', 'failed')
  const debts = createDebts({ log: options.log, giveBack: (keys) => giveBackKeys(ask, keys) })

  const orOverloaded = (error: unknown): never => {
    if (!(error instanceof LedgerUnavailable)) throw error
    debts.owe(error.inDoubt)
    throw overloaded(error)
  }

  return {
    /** What the account can spend now: holds are already taken off. */
    available: (accountId: string): Promise<number> => availableTo(ask, accountId).catch(orOverloaded),

    /**
     * Takes the amount for good, for a call that can hardly fail any more. Durable when it resolves. The id is for the
     * ledger.
     */
    async charge(accountId: string, amount: number, requestId: string): Promise<Receipt> {
      checkAmount(amount)
      charged += 1
      // Request ids are unique across processes; the count keeps a repeated one from failing its whole batch.
      const key = `charge:${requestId}:${charged.toString(36)}`
      const available = await charges.push({ accountId, amount, key }).catch(orOverloaded)
      if (available !== null) throw insufficient(amount, available)
      return { key }
    },

    /** Gives back a charge whose call failed after all. Repeating it changes nothing. */
    async giveBack({ key }: Receipt): Promise<void> {
      await giveBackKeys(ask, [key]).catch((error: unknown) => {
        debts.owe([key])
        return orOverloaded(error)
      })
    },

    /** Gives back a charge whose transaction may have committed, once that is known. */
    giveBackLater: ({ key }: Receipt): void => debts.owe([key]),

    /** Sets the amount aside. Undefined when the account had a hold with this source and key before. */
    async hold(accountId: string, amount: number, source: HoldSource): Promise<Hold | undefined> {
      checkAmount(amount)
      const { state, chargeId, available } = await holds.push({ accountId, amount, ...source }).catch(orOverloaded)
      if (state === 'insufficient') throw insufficient(amount, available)
      return state === 'held' ? { id: chargeId, accountId, amount } : undefined
    },

    /** Takes what was held, for good. `OVERLOADED` when the hold had ended: the call is not paid for and must not succeed. */
    async post(hold: Hold): Promise<Receipt> {
      const first = await posts.push(hold).catch(orOverloaded)
      if (!first) throw overloaded()
      return { key: closeKey(hold.id) }
    },

    /** Gives back what was held. Never fails because the database is unavailable: the hold then expires by itself. */
    async release(hold: Hold): Promise<void> {
      await releases.push(hold).catch((error: unknown) => {
        if (!(error instanceof LedgerUnavailable)) throw error
      })
    },

    /** Gives back expired holds and returns their number; any process may do it at any time. */
    sweep: (): Promise<number> => sweepExpired(ask).catch(orOverloaded),

    /** Resolves when no statement is running and all debts are settled, or cannot be settled now. */
    async drain(): Promise<void> {
      await Promise.all([charges, holds, posts, releases].map((lane) => lane.drain()))
      // Callers refused by these statements note their debts a few microtasks later.
      await new Promise((resolve) => setImmediate(resolve))
      await debts.settle()
    },
  }
}

/**
 * Takes the amount together with the effect that it pays for: both are committed or neither. The account's row stays
 * locked until then, so whatever else the transaction decides about the account is free of races. `key` may be used once.
 */
export async function chargeInTransaction(
  trx: Transaction<Tables>,
  accountId: string,
  amount: number,
  key: string,
): Promise<void> {
  checkAmount(amount)
  const { rows } = await sql<{ refused: (bigint | null)[] }>`
    select credit_charge_many(${[accountId]}, ${[amount]}, ${[key]}) as refused`.execute(trx)
  const available = rows[0]?.refused[0] ?? null
  if (available !== null) throw insufficient(amount, available)
}

/** Issues credits to an account. False when this very grant, by its reference, was made before. */
export async function grantCredits(
  db: Kysely<Tables>,
  grant: { accountId: string; amount: number; reference: string },
): Promise<boolean> {
  checkAmount(grant.amount)
  const { rows } = await sql<{ granted: boolean }>`
    select credit_grant(${grant.accountId}, ${grant.amount}, ${grant.reference}) as granted`.execute(db)
  return rows[0]?.granted === true
}

async function availableTo(ask: Ask, accountId: string): Promise<number> {
  const text = 'select available from credit_account where account_id = $1'
  const [row] = await ask<{ available: bigint }>({ name: 'credit-available', text, values: [accountId] })
  return Number(row?.available ?? 0)
}

async function giveBackKeys(ask: Ask, keys: readonly string[]): Promise<void> {
  await ask({ name: 'credit-give-back', text: 'select credit_give_back($1)', values: [keys] })
}

async function sweepExpired(ask: Ask): Promise<number> {
  let swept = 0
  for (;;) {
    const [row] = await ask<{ n: number }>({ text: 'select credit_sweep($1) as n', values: [sweepBatch] })
    const n = row?.n ?? 0
    swept += n
    if (n < sweepBatch) return swept
  }
}

function checkAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount <= 0) throw new RangeError(`Not an amount of credits: ${amount}`)
}

const insufficient = (creditsRequired: number, available: bigint | number) =>
  new Failure('INSUFFICIENT_CREDITS', 'Insufficient credits', {
    creditsRequired,
    creditsAvailable: Number(available),
  })

/** The refusal of a call because the database is unavailable. */
export function overloaded(cause?: unknown): Failure {
  const failure = new Failure('OVERLOADED', 'The service is temporarily unavailable', { retryAfterSeconds: 5 })
  failure.cause = cause
  return failure
}
