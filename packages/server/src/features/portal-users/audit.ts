import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'

/** Who acts, and from where; the command line acts as `coffer-admin`. */
export type Actor = { userId: string | null; userName: string; address: string }

/** What was done. `accountId`: in which account, or in none. `detail` names what was changed, never a secret. */
export type Action = { action: string; accountId: string | null; detail?: Readonly<Record<string, unknown>> }

/** Adds a line to the audit log, best in the transaction of what it tells. */
export async function recordAction(
  db: Kysely<Tables> | Transaction<Tables>,
  { userId, userName, address }: Actor,
  { action, accountId, detail = {} }: Action,
): Promise<void> {
  await db
    .insertInto('audit_event')
    .values({
      action,
      address,
      account_id: accountId === null ? null : BigInt(accountId),
      user_id: userId === null ? null : BigInt(userId),
      user_name: userName,
      detail: JSON.stringify(detail),
    })
    .execute()
}

/** What was done in an account, the newest first: `limit` lines older than the one with the id `before`. */
export async function listActions(
  db: Kysely<Tables>,
  { accountId, before, limit }: { accountId: string; before?: string | undefined; limit: number },
) {
  const lines = db
    .selectFrom('audit_event')
    .select(['id', 'at', 'user_name as user', 'action', 'address'])
    .select((expression) => expression.ref('detail').$castTo<Record<string, unknown>>().as('detail'))
    .where('account_id', '=', BigInt(accountId))
    .orderBy('id', 'desc')
    .limit(limit)
  return (before === undefined ? lines : lines.where('id', '<', BigInt(before))).execute()
}
