import { sql } from 'kysely'
import { LOCKS, lockTexts } from '../../../db/locks.ts'
import type { Db, Trx } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'

/** Derived data recompute from `since` (Unix seconds). Call it last before the payment: IDs follow commits. */
export async function noteChange(trx: Trx, wallet: Address, since: number): Promise<void> {
  await lockTexts(trx, [LOCKS.history(wallet)])
  await trx
    .insertInto('history_change')
    .values({ wallet, since: new Date(since * 1000) })
    .execute()
}

/** First movement (Unix seconds) of tokens without a stored gap: a first or last gap changes how all count. */
export async function firstDoubted(trx: Trx, { wallet, chain }: WalletOnChain, tokens: readonly Address[]) {
  if (tokens.length === 0) return undefined
  const { rows } = await sql<{ first: Date | null }>`
    select min(block_time) as first
    from history_movement as movement
    join history_transaction using (wallet, chain, block, tx_index)
    where wallet = ${wallet} and chain = ${chain} and token = any (${tokens}) and not exists (
      select from history_adjustment as adjustment
      where adjustment.wallet = ${wallet} and adjustment.chain = ${chain} and adjustment.token = movement.token
        and adjustment.kind = 'gap')`.execute(trx)
  const first = rows[0]?.first
  return first ? first.getTime() / 1000 : undefined
}

export async function lastChanges(db: Db, wallets: readonly Address[]): Promise<Map<Address, string>> {
  const rows = await db
    .selectFrom('history_change')
    .select(['wallet', ({ fn }) => fn.max('id').as('last')])
    .where('wallet', 'in', wallets)
    .groupBy('wallet')
    .execute()
  return new Map(rows.map(({ wallet, last }) => [wallet, String(last)]))
}

export const versionOf = async (db: Db, wallets: readonly Address[]): Promise<string> =>
  JSON.stringify([...(await lastChanges(db, wallets))].sort())

/** Unix seconds. */
export async function changedSince(db: Db, wallet: Address, seen: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('history_change')
    .select(({ fn }) => fn.min('since').as('since'))
    .where('wallet', '=', wallet)
    .where('id', '>', BigInt(seen))
    .executeTakeFirst()
  return row?.since ? row.since.getTime() / 1000 : undefined
}

const CHANGES_AT_ONCE = 1_000

/** Folds changes that every run has seen into the last, with their earliest moment. */
export async function pruneChanges(db: Db, signal: AbortSignal): Promise<void> {
  for (let after: string | null = ''; after !== null; ) {
    signal.throwIfAborted()
    const wallets: readonly Address[] = await changedAfter(db, after)
    if (wallets.length > 0) await pruneOf(db, wallets)
    after = wallets.at(-1) ?? null
  }
}

async function changedAfter(db: Db, wallet: string): Promise<Address[]> {
  const { rows } = await sql<{ wallet: Address }>`
    select wallet from history_change where wallet > ${wallet} order by wallet limit ${CHANGES_AT_ONCE}`.execute(db)
  return [...new Set(rows.map((row) => row.wallet))]
}

async function pruneOf(db: Db, wallets: readonly Address[]): Promise<void> {
  const { rows: several } = await sql<{ wallet: Address }>`
    select wallet from history_change where wallet = any (${wallets}) group by wallet having count(*) > 1`.execute(db)
  if (several.length === 0) return
  const seen = await sql<{ wallet: Address; id: bigint }>`
    select split_part(key, ' ', 1) as wallet, min(value::bigint) as id from accounting, jsonb_each_text(seen)
    where split_part(key, ' ', 1) = any (${several.map(({ wallet }) => wallet)}) group by 1`.execute(db)
  const seenOf = new Map(seen.rows.map(({ wallet, id }) => [wallet, id]))
  for (const { wallet } of several) {
    await db.transaction().execute((trx) => foldChanges(trx, wallet, seenOf.get(wallet) ?? null))
  }
}

/** Up to `seen`; null: all. */
async function foldChanges(trx: Trx, wallet: Address, seen: bigint | null): Promise<void> {
  const { rows } = await sql<{ id: bigint; since: Date }>`
    select max(id) as id, min(since) as since from history_change
    where wallet = ${wallet} and id <= coalesce(${seen}::bigint, id)
    having count(*) > 1`.execute(trx)
  const [last] = rows
  if (!last) return
  await sql`update history_change set since = ${last.since} where wallet = ${wallet} and id = ${last.id}`.execute(trx)
  await sql`delete from history_change where wallet = ${wallet} and id < ${last.id}`.execute(trx)
}
