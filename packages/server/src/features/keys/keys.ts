import type { Kysely, Selectable, Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { displayOfKey, generateKey } from './key-format.ts'
import { digestOfKey, type Peppers } from './peppers.ts'

/** A key as it can be listed; `key` shows its prefix and last four characters. Times are ISO 8601. */
export type ApiKey = {
  id: string
  accountId: string
  name: string
  key: string
  createdAt: string
  lastUsedAt: string | null
  revokedAt: string | null
}

/** A new key; its text is in the answer and nowhere else. */
export type NewKey = { id: string; accountId: string; name: string; key: string }

/** Makes a key for an account that exists. */
export async function createKey(
  db: Kysely<Tables> | Transaction<Tables>,
  peppers: Peppers,
  { accountId, name }: { accountId: string; name: string },
): Promise<NewKey> {
  const key = generateKey()
  const [pepper] = peppers
  const { id } = await db
    .insertInto('api_key')
    .values({
      account_id: BigInt(accountId),
      name,
      display: displayOfKey(key),
      digest: digestOfKey(key, pepper),
      pepper_version: pepper.version,
      last_used_at: null,
      revoked_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id: String(id), accountId, name, key }
}

/** All keys, oldest first, revoked ones included; of one account when it is given. */
export async function listKeys(db: Kysely<Tables>, accountId?: string): Promise<ApiKey[]> {
  const all = db.selectFrom('api_key').selectAll().orderBy('id')
  const rows = await (accountId === undefined ? all : all.where('account_id', '=', BigInt(accountId))).execute()
  return rows.map(keyOf)
}

/** Ends a key for good; everywhere within 5 s. Again it changes nothing. Undefined when there is no such key. */
export async function revokeKey(db: Kysely<Tables>, id: string): Promise<ApiKey | undefined> {
  const row = await db
    .updateTable('api_key')
    .set((expression) => ({ revoked_at: expression.fn.coalesce('revoked_at', expression.fn<Date>('now')) }))
    .where('id', '=', BigInt(id))
    .returningAll()
    .executeTakeFirst()
  return row && keyOf(row)
}

function keyOf(row: Selectable<Tables['api_key']>): ApiKey {
  return {
    id: String(row.id),
    accountId: String(row.account_id),
    name: row.name,
    key: row.display,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  }
}
