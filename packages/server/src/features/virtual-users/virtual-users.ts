import { Failure, type VirtualAddress, type VirtualUserType } from '@coffer/contract'
import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../../db/tables.ts'

/** `id` is a UUID; `createdAt` is ISO 8601. */
export type VirtualUser = { id: string; accountId: string; type: VirtualUserType; label: string; createdAt: string }

export type NewVirtualUser = Pick<VirtualUser, 'accountId' | 'type' | 'label'>

const PREFIX = 'virtual:'

export function virtualAddress(id: string): VirtualAddress {
  return `${PREFIX}${id}`
}

export function idOf(address: VirtualAddress): string {
  return address.slice(PREFIX.length)
}

export async function createVirtualUser(
  db: Kysely<Tables>,
  { accountId, type, label }: NewVirtualUser,
): Promise<VirtualUser> {
  const row = await db
    .insertInto('virtual_user')
    .values({ account_id: BigInt(accountId), type, label })
    .returningAll()
    .executeTakeFirstOrThrow()
  return userOf(row)
}

/** Oldest first. */
export async function listVirtualUsers(db: Kysely<Tables>, accountId: string): Promise<VirtualUser[]> {
  const rows = await db
    .selectFrom('virtual_user')
    .selectAll()
    .where('account_id', '=', BigInt(accountId))
    .orderBy('number')
    .execute()
  return rows.map(userOf)
}

export async function findVirtualUser(db: Kysely<Tables>, id: string): Promise<VirtualUser | undefined> {
  const row = await db.selectFrom('virtual_user').selectAll().where('id', '=', id).executeTakeFirst()
  return row && userOf(row)
}

/** Rejects with the same FORBIDDEN for another account's, malformed and unknown addresses. */
export async function requireOwn(
  db: Kysely<Tables>,
  accountId: string,
  addresses: readonly VirtualAddress[],
): Promise<void> {
  const own = await db
    .selectFrom('virtual_user')
    .select('id')
    .where('account_id', '=', BigInt(accountId))
    .where(({ cast, ref }) => cast<string>(ref('id'), 'text'), 'in', addresses.map(idOf))
    .execute()
  if (own.length < addresses.length) throw notYours()
}

export function notYours(): Failure {
  return new Failure('FORBIDDEN', 'One of these virtual users does not belong to this account')
}

export async function renameVirtualUser(
  db: Kysely<Tables>,
  id: string,
  label: string,
): Promise<VirtualUser | undefined> {
  const row = await db.updateTable('virtual_user').set({ label }).where('id', '=', id).returningAll().executeTakeFirst()
  return row && userOf(row)
}

/** Deletes balances, exchange link and credentials too. */
export async function removeVirtualUser(db: Kysely<Tables>, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('virtual_user').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

function userOf(row: Selectable<Tables['virtual_user']>): VirtualUser {
  return {
    id: row.id,
    accountId: String(row.account_id),
    type: row.type,
    label: row.label,
    createdAt: row.created_at.toISOString(),
  }
}
