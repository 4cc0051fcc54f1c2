import { Failure, type VirtualAddress, type VirtualUserType } from '@coffer/contract'
import type { Db } from '../../db/tables.ts'
import { plainRow } from '../../lib/plain-row.ts'

/** `id` is a UUID; `createdAt` is ISO 8601. */
export type VirtualUser = { id: string; accountId: string; type: VirtualUserType; label: string; createdAt: string }

const SHOWN = ['id', 'account_id as accountId', 'type', 'label', 'created_at as createdAt'] as const
const PREFIX = 'virtual:'

export const virtualAddress = (id: string): VirtualAddress => `${PREFIX}${id}`

export const idOf = (address: VirtualAddress): string => address.slice(PREFIX.length)

export async function createVirtualUser(
  db: Db,
  { accountId, type, label }: { accountId: string; type: VirtualUserType; label: string },
): Promise<VirtualUser> {
  const row = await db
    .insertInto('virtual_user')
    .values({ account_id: BigInt(accountId), type, label })
    .returning(SHOWN)
    .executeTakeFirstOrThrow()
  return plainRow(row)
}

/** Oldest first. */
export async function listVirtualUsers(db: Db, accountId: string): Promise<VirtualUser[]> {
  const rows = await db
    .selectFrom('virtual_user')
    .select(SHOWN)
    .where('account_id', '=', BigInt(accountId))
    .orderBy('number')
    .execute()
  return rows.map(plainRow)
}

export async function findVirtualUser(db: Db, id: string): Promise<VirtualUser | undefined> {
  const row = await db.selectFrom('virtual_user').select(SHOWN).where('id', '=', id).executeTakeFirst()
  return row && plainRow(row)
}

/** Rejects with the same FORBIDDEN for another account's, malformed and unknown addresses. */
export async function requireOwn(db: Db, accountId: string, addresses: readonly VirtualAddress[]): Promise<void> {
  const own = await db
    .selectFrom('virtual_user')
    .select('id')
    .where('account_id', '=', BigInt(accountId))
    .where(({ cast, ref }) => cast<string>(ref('id'), 'text'), 'in', addresses.map(idOf))
    .execute()
  if (own.length < addresses.length) throw notYours()
}

export const notYours = () => new Failure('FORBIDDEN', 'One of these virtual users does not belong to this account')

export async function renameVirtualUser(db: Db, id: string, label: string) {
  const renamed = db.updateTable('virtual_user').set({ label }).where('id', '=', id).returning(SHOWN)
  const row = await renamed.executeTakeFirst()
  return row && plainRow(row)
}

export async function removeVirtualUser(db: Db, id: string): Promise<void> {
  await db.deleteFrom('virtual_user').where('id', '=', id).execute()
}
