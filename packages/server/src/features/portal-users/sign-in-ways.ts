import { Failure } from '@coffer/contract'
import { sql } from 'kysely'
import type { Db, Trx } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import { recordOwn } from './audit.ts'
import { type PortalUsers, signedIn } from './context.ts'

type Removed = { action: string; detail?: Readonly<Record<string, unknown>> }

/** Removals of one user wait for each other. Throws LAST_SIGN_IN for the last way, NOT_FOUND for none. */
export function takeWay(
  { db, issuer }: { db: Db; issuer: PortalUsers['issuer'] },
  caller: PortalCaller,
  way: 'passkey' | 'wallet' | 'account',
  remove: (trx: Trx, userId: string) => Promise<Removed | undefined>,
): Promise<Record<never, never>> {
  const { userId } = signedIn(caller)
  return db.transaction().execute(async (trx) => {
    await sql`select from portal_user where id = ${userId}::bigint for update`.execute(trx)
    const removed = await remove(trx, userId)
    if (!removed) throw new Failure('NOT_FOUND', `There is no such ${way}`)
    await recordOwn(trx, caller, removed.action, removed.detail)
    const { rows } = await sql`select from portal_user u where u.id = ${userId}::bigint and (
      u.password is not null
      or exists (select from portal_passkey where user_id = u.id)
      or exists (select from portal_wallet where user_id = u.id)
      or exists (select from portal_identity where user_id = u.id and issuer = ${issuer?.issuer ?? null}))`.execute(trx)
    if (rows.length > 0) return {}
    throw new Failure('LAST_SIGN_IN', 'This is your last way to sign in: add another one first')
  })
}
