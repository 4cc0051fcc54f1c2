import { Failure } from '@coffer/contract'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { IssuedIdentity } from './openid-issuer.ts'

type Db = Kysely<Tables> | Transaction<Tables>

/** Throws VALIDATION_ERROR if the account already signs in a user. */
export async function addIdentity(db: Db, userId: string, { issuer, subject, label }: IssuedIdentity): Promise<void> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('portal_identity')
    .values({ issuer, subject, label, user_id: BigInt(userId), last_used_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 1n) return
  throw new Failure('VALIDATION_ERROR', `${label} is already linked to a user: sign in with it, or choose another`)
}

export async function userOfIdentity(db: Db, { issuer, subject, label }: IssuedIdentity) {
  const { rows } = await sql<{ id: bigint; name: string }>`
    update portal_identity i set last_used_at = coffer_now(), label = ${label} from portal_user u
    where i.issuer = ${issuer} and i.subject = ${subject} and u.id = i.user_id returning u.id, u.name`.execute(db)
  const [user] = rows
  return user && { userId: String(user.id), userName: user.name }
}

export async function listIdentities(db: Db, userId: string) {
  return db
    .selectFrom('portal_identity')
    .select(['id', 'issuer', 'label', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
    .where('user_id', '=', BigInt(userId))
    .orderBy('id')
    .execute()
}

export async function removeIdentity(db: Db, { userId, id }: { userId: string; id: string }) {
  const row = await db
    .deleteFrom('portal_identity')
    .where('id', '=', BigInt(id))
    .where('user_id', '=', BigInt(userId))
    .returning('label')
    .executeTakeFirst()
  return row?.label
}
