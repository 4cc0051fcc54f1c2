import { Failure } from '@coffer/contract'
import { sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'

/** Throws LAST_SIGN_IN for the user's last way. */
export type TakeWay = (trx: Transaction<Tables>, userId: string, remove: () => Promise<boolean>) => Promise<boolean>

/** Removals of one user wait for each other. */
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
