import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { displayOfKey, generateKey } from './key-format.ts'
import { digestOfKey, type Peppers } from './peppers.ts'

/** `key` shows the prefix and the last four characters. `revokedAt` may lie in the future. */
export type ApiKey = {
  id: string
  accountId: string
  name: string
  key: string
  createdAt: string
  lastUsedAt: string | null
  revokedAt: string | null
}

/** `key` is stored nowhere. */
export type NewKey = { id: string; accountId: string; name: string; key: string }

type Db = Kysely<Tables> | Transaction<Tables>

export async function createKey(
  db: Db,
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

export async function listKeys(db: Db, accountId?: string): Promise<ApiKey[]> {
  const all = db.selectFrom('api_key').selectAll().orderBy('id')
  const rows = await (accountId === undefined ? all : all.where('account_id', '=', BigInt(accountId))).execute()
  return rows.map(keyOf)
}

export async function isKeyAlive(db: Db, id: string): Promise<boolean> {
  const key = db.selectFrom('api_key').select('id').where('id', '=', BigInt(id))
  const row = await key.where(sql<boolean>`(revoked_at is null or revoked_at > now())`).executeTakeFirst()
  return row !== undefined
}

type KeyOfAccount = { id: string; accountId: string }

/** Takes effect in every process within 5 s. Idempotent. */
export async function revokeKey(db: Db, id: string, accountId?: string): Promise<ApiKey | undefined> {
  const ended = db
    .updateTable('api_key')
    .set({ revoked_at: sql<Date>`least(revoked_at, now())` })
    .where('id', '=', BigInt(id))
  const own = accountId === undefined ? ended : ended.where('account_id', '=', BigInt(accountId))
  const row = await own.returningAll().executeTakeFirst()
  return row && keyOf(row)
}

export async function renameKey(db: Db, { id, accountId }: KeyOfAccount, name: string): Promise<ApiKey | undefined> {
  const row = await db
    .updateTable('api_key')
    .set({ name })
    .where('id', '=', BigInt(id))
    .where('account_id', '=', BigInt(accountId))
    .returningAll()
    .executeTakeFirst()
  return row && keyOf(row)
}

/** The old key ends after `graceHours`, or at its own end if sooner. */
export async function rotateKey(
  trx: Transaction<Tables>,
  peppers: Peppers,
  { id, accountId, graceHours }: KeyOfAccount & { graceHours: number },
): Promise<NewKey | undefined> {
  const old = await trx
    .updateTable('api_key')
    .set({ revoked_at: sql<Date>`least(revoked_at, now() + ${graceHours} * interval '1 hour')` })
    .where('id', '=', BigInt(id))
    .where('account_id', '=', BigInt(accountId))
    .where(sql<boolean>`(revoked_at is null or revoked_at > now())`)
    .returning('name')
    .executeTakeFirst()
  return old && createKey(trx, peppers, { accountId, name: old.name })
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
