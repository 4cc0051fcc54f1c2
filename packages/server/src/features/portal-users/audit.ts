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
