import { type Kysely, sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'

export type EntryOf = { accountId: string; address: string }

/** Database time, to the millisecond. */
export async function selectTimes(db: Kysely<Tables>, seconds: number): Promise<{ now: Date; later: Date }> {
  const { rows } = await sql<{ now: Date; later: Date }>`
    select date_trunc('milliseconds', now()) as now,
      date_trunc('milliseconds', now()) + make_interval(secs => ${seconds}) as later`.execute(db)
  const [row] = rows
  if (!row) throw new Error('a select without from has one row')
  return row
}

export async function saveChallenge(
  db: Kysely<Tables>,
  { accountId, address }: EntryOf,
  { text, expiresAt }: { text: string; expiresAt: Date },
): Promise<void> {
  await db
    .insertInto('owner_challenge')
    .values({ account_id: BigInt(accountId), address, text, expires_at: expiresAt })
    .onConflict((conflict) => conflict.columns(['account_id', 'address']).doUpdateSet({ text, expires_at: expiresAt }))
    .execute()
}

export async function findChallenge(
  db: Kysely<Tables>,
  { accountId, address }: EntryOf,
): Promise<{ text: string; isOpen: boolean } | undefined> {
  return db
    .selectFrom('owner_challenge')
    .select(['text', sql<boolean>`expires_at > now()`.as('isOpen')])
    .where((eb) => eb.and({ account_id: BigInt(accountId), address }))
    .executeTakeFirst()
}

export async function takeChallenge(
  trx: Transaction<Tables>,
  { accountId, address }: EntryOf,
  text: string,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('owner_challenge')
    .where((eb) => eb.and({ account_id: BigInt(accountId), address, text }))
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
