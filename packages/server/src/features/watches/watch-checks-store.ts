import type { WatchGap } from '@coffer/contract'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'

type Row = Selectable<Tables['watch']>

/** Only the holder of the last `claim` may settle it. */
export type ClaimedWatch = Row & { address: Address }

const mayRead = sql`(account.plan = 'PRO' or 'portfolio' = any (account.entitlements))`

/** Longest waiting first. */
export async function claimWallets(
  db: Kysely<Tables>,
  { types, afterSeconds, most }: { types: readonly Row['type'][]; afterSeconds: number; most: number },
): Promise<Map<Address, ClaimedWatch[]>> {
  const { rows } = await sql<ClaimedWatch>`
    with due as (
      select address, min(coalesce(checked_at, '-infinity')) as waited_since
      from watch join account on account.id = account_id
      where type = any (${types}::text[]) and ${mayRead}
        and (checked_at is null or checked_at <= coffer_now() - make_interval(secs => ${afterSeconds}))
      group by address order by waited_since, address limit ${most})
    update watch set checked_at = coffer_now(), claim = claim + 1
    from account
    where account.id = account_id and ${mayRead} and type = any (${types}::text[])
      and address in (select address from due)
    returning watch.*`.execute(db)
  return Map.groupBy(rows, ({ address }) => address)
}

/** False if another process claimed it later. */
export async function settle(
  trx: Kysely<Tables>,
  { id, claim }: Pick<Row, 'id' | 'claim'>,
  { isPast, value, known }: { isPast: boolean; value: string | null; known: unknown },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update watch set is_past = ${isPast}, value = ${value}::numeric, known = ${known === null ? null : JSON.stringify(known)}::jsonb,
      incomplete = '[]', settled_at = coffer_now()
    where id = ${id}::uuid and claim = ${claim}`.execute(trx)
  return numAffectedRows === 1n
}

export async function noteGaps(
  db: Kysely<Tables>,
  { id, claim }: Pick<Row, 'id' | 'claim'>,
  gaps: readonly WatchGap[],
): Promise<void> {
  await sql`
    update watch set incomplete = ${JSON.stringify(gaps)}::jsonb where id = ${id}::uuid and claim = ${claim}`.execute(
    db,
  )
}
