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
    const { rows }: { rows: { last: string | null }[] } = await sql<{ last: string | null }>`
      with next as (
        select wallet from history_change where wallet > ${after} order by wallet limit ${CHANGES_AT_ONCE}
      ), page as (
        select wallet from next group by wallet
        having (select count(*) from (select from history_change where wallet = next.wallet limit 2) as first) > 1
      ), seen as (
        select split_part(key, ' ', 1) as wallet, min(value::bigint) as id from accounting, jsonb_each_text(seen)
        where split_part(key, ' ', 1) in (select wallet from page) group by 1
      ), settled as (
        select wallet, max(change.id) as id, min(since) as since
        from history_change as change join page using (wallet) left join seen using (wallet)
        where change.id <= coalesce(seen.id, change.id)
        group by wallet having count(*) > 1
      ), folded as (
        update history_change as change set since = settled.since from settled where change.id = settled.id
      ), gone as (
        delete from history_change as change using settled
        where change.wallet = settled.wallet and change.id < settled.id
      )
      select max(wallet) as last from next`.execute(db)
    after = rows[0]?.last ?? null
  }
}
