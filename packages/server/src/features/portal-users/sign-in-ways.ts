import { Failure } from '@coffer/contract'
import { sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'

/** Takes a way to sign in away by `remove`, which says whether there was one; LAST_SIGN_IN where it is the user's last. */
export type TakeWay = (trx: Transaction<Tables>, userId: string, remove: () => Promise<boolean>) => Promise<boolean>

/**
 * Keeps users from removing their last way to sign in: password, passkeys, wallets, and accounts of the issuer that is set
 * now. Removals of one user follow each other: of two at once the second sees what the first has left.
 */
export function createTakeWay(issuer: string | null): TakeWay {
  return async (trx, userId, remove) => {
    await sql`select from portal_user where id = ${userId}::bigint for update`.execute(trx)
    if (!(await remove())) return false
    const { rows } = await sql`select from portal_user u where u.id = ${userId}::bigint and (
      u.password is not null
      or exists (select from portal_passkey where user_id = u.id)
      or exists (select from portal_wallet where user_id = u.id)
      or exists (select from portal_identity where user_id = u.id and issuer = ${issuer}))`.execute(trx)
    if (rows.length > 0) return true
    throw new Failure('LAST_SIGN_IN', 'This is your last way to sign in: add another one first')
  }
}
