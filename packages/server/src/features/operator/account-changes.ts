import { Failure } from '@coffer/contract'
import type { Kysely } from 'kysely'
import pg from 'pg'
import type { Tables } from '../../db/tables.ts'
import {
  type Account,
  type AccountChanges,
  findAccount,
  getAccount,
  insertAccount,
  type NewAccount,
  updateAccount,
} from '../accounts/accounts.ts'
import { grantCredits } from '../credits/credits.ts'
import { type Actor, recordAction } from '../portal-users/audit.ts'

/** Throws NOT_FOUND for an unknown account. */
export function createAccountChanges(db: Kysely<Tables>) {
  return {
    create: (actor: Actor, account: NewAccount): Promise<Account> =>
      db.transaction().execute(async (trx) => {
        const made = await insertAccount(trx, account)
        await recordAction(trx, actor, { action: 'created an account', accountId: made.id, detail: account })
        return made
      }),
    update: (actor: Actor, id: string, changes: AccountChanges): Promise<Account> =>
      db.transaction().execute(async (trx) => {
        const account = orNone(await updateAccount(trx, id, changes))
        await recordAction(trx, actor, { action: 'changed an account', accountId: id, detail: changes })
        return account
      }),
    grant: (actor: Actor, id: string, grant: { amount: number; reference: string }) =>
      db
        .transaction()
        .execute(async (trx) => {
          orNone(await findAccount(trx, id))
          const granted = await grantCredits(trx, { accountId: id, ...grant })
          if (granted) await recordAction(trx, actor, { action: 'gave credits', accountId: id, detail: grant })
          return { granted, account: await getAccount(trx, id) }
        })
        .catch(explain),
  }
}

const UNIQUE = '23505'
/** The balance would exceed what JSON numbers carry. */
const TOO_MUCH = '23514'

function explain(thrown: unknown): never {
  const code = thrown instanceof pg.DatabaseError ? thrown.code : undefined
  if (code === UNIQUE) throw new Failure('VALIDATION_ERROR', 'reference: was used with another amount')
  if (code === TOO_MUCH) throw new Failure('VALIDATION_ERROR', 'amount: is more than an account can have')
  throw thrown
}

function orNone<T>(found: T | undefined): T {
  if (found === undefined) throw new Failure('NOT_FOUND', 'There is no such account')
  return found
}
