import type { KeyView } from '@coffer/contract/portal'
import { sql } from 'kysely'
import type { Db, Trx } from '../../db/tables.ts'
import { plainRow } from '../../lib/plain-row.ts'
import { displayOfKey, generateKey } from './key-format.ts'
import { digestOfKey, type Peppers } from './peppers.ts'

export type ApiKey = KeyView & { accountId: string }

export type NewKey = { id: string; accountId: string; name: string; key: string }

const SHOWN = [
  ...(['id', 'account_id as accountId', 'name', 'display as key'] as const),
  ...(['created_at as createdAt', 'last_used_at as lastUsedAt', 'revoked_at as revokedAt'] as const),
]
const isAlive = sql<boolean>`(revoked_at is null or revoked_at > now())`

export async function createKey(db: Db, peppers: Peppers, { accountId, name }: { accountId: string; name: string }) {
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
  const all = db.selectFrom('api_key').select(SHOWN).orderBy('id')
  const rows = await (accountId === undefined ? all : all.where('account_id', '=', BigInt(accountId))).execute()
  return rows.map(plainRow)
}

export async function isKeyAlive(db: Db, id: string): Promise<boolean> {
  const alive = db.selectFrom('api_key').select('id').where('id', '=', BigInt(id)).where(isAlive)
  return (await alive.executeTakeFirst()) !== undefined
}

type KeyOfAccount = { id: string; accountId: string }

/** Takes effect in every process within 5 s. Idempotent. */
export async function revokeKey(db: Db, id: string, accountId?: string): Promise<ApiKey | undefined> {
  const ended = db
    .updateTable('api_key')
    .set({ revoked_at: sql<Date>`least(revoked_at, now())` })
    .where('id', '=', BigInt(id))
  const own = accountId === undefined ? ended : ended.where('account_id', '=', BigInt(accountId))
  const row = await own.returning(SHOWN).executeTakeFirst()
  return row && plainRow(row)
}

export async function renameKey(db: Db, { id, accountId }: KeyOfAccount, name: string): Promise<ApiKey | undefined> {
  const row = await db
    .updateTable('api_key')
    .set({ name })
    .where('id', '=', BigInt(id))
    .where('account_id', '=', BigInt(accountId))
    .returning(SHOWN)
    .executeTakeFirst()
  return row && plainRow(row)
}

export async function rotateKey(
  trx: Trx,
  peppers: Peppers,
  { id, accountId, graceHours }: KeyOfAccount & { graceHours: number },
): Promise<NewKey | undefined> {
  const old = await trx
    .updateTable('api_key')
    .set({ revoked_at: sql<Date>`least(revoked_at, now() + ${graceHours} * interval '1 hour')` })
    .where('id', '=', BigInt(id))
    .where('account_id', '=', BigInt(accountId))
    .where(isAlive)
    .returning('name')
    .executeTakeFirst()
  return old && createKey(trx, peppers, { accountId, name: old.name })
}
