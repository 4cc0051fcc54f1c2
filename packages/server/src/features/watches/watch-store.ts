import type { Watch, WatchGap } from '@coffer/contract'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { decimal, formatDecimal } from '../../domain/decimal.ts'
import { plainRow } from '../../lib/plain-row.ts'

type Table = Tables['watch']
type Row = Selectable<Table>
export type WatchTerms = Partial<Insertable<Table>> & { type: Row['type'] }

/** Oldest first. */
export async function selectWatches(db: Db, accountId: string): Promise<Watch[]> {
  const ofAccount = db.selectFrom('watch').selectAll().where('account_id', '=', BigInt(accountId))
  return (await ofAccount.orderBy('created_at').orderBy('id').execute()).map(asShown)
}

export function asShown(row: Row): Watch {
  const { id, type, address, chain, contract, validator, created_at: createdAt, checked_at: checkedAt } = row
  return {
    ...plainRow({ id, type, address, chain, contract, validator, createdAt, checkedAt }),
    direction: row.threshold === null ? null : directionOf(row.is_above === true),
    threshold: row.threshold === null ? null : spelled(row.threshold),
    state: stateOf(row),
    value: row.value === null ? 'N/A' : spelled(row.value),
    incomplete: row.incomplete as WatchGap[],
  }
}

function stateOf({ settled_at, is_past }: Row): Watch['state'] {
  if (settled_at === null) return 'waiting'
  return is_past ? 'past' : 'clear'
}

export const directionOf = (isAbove: boolean): 'above' | 'below' => (isAbove ? 'above' : 'below')

export const spelled = (numeric: string): string => formatDecimal(decimal(numeric))

/** Only the holder of the last `claim` may settle it. */
export type ClaimedWatch = Row & { address: Address }

const mayRead = sql`(account.plan = 'PRO' or 'portfolio' = any (account.entitlements))`

type Terms = { types: readonly Row['type'][]; afterSeconds: number; most: number }

/** Longest waiting first. */
export async function claimWallets(db: Db, { types, afterSeconds, most }: Terms) {
  const { rows } = await sql<ClaimedWatch>`
    with due as (
      select next.address, min(next.waited_since) as waited_since from unnest(${types}::text[]) as wanted (type) cross join lateral (
        select address, coalesce(checked_at, '-infinity') as waited_since from watch join account on account.id = account_id
        where watch.type = wanted.type and address is not null and ${mayRead}
          and coalesce(checked_at, '-infinity') <= coffer_now() - make_interval(secs => ${afterSeconds})
        order by coalesce(checked_at, '-infinity'), address limit ${most}) as next
      group by next.address order by waited_since, next.address limit ${most})
    update watch set checked_at = coffer_now(), claim = claim + 1
    from account
    where account.id = account_id and ${mayRead} and type = any (${types}::text[])
      and address in (select address from due)
    returning watch.*`.execute(db)
  return Map.groupBy(rows, ({ address }) => address)
}

export async function checkDue(
  db: Db,
  terms: Terms,
  signal: AbortSignal,
  check: (wallet: Address, watches: readonly ClaimedWatch[]) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    const claimed = await claimWallets(db, terms)
    if (claimed.size === 0) return
    await Promise.all([...claimed].map(([wallet, watches]) => check(wallet, watches)))
  }
}

/** False if another process claimed it later. */
export async function settle(
  trx: Db,
  { id, claim }: ClaimedWatch,
  { isPast, value, known }: { isPast: boolean; value: string | null; known: unknown },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update watch set is_past = ${isPast}, value = ${value}::numeric, known = ${known === null ? null : JSON.stringify(known)}::jsonb,
      incomplete = '[]', settled_at = coffer_now()
    where id = ${id}::uuid and claim = ${claim}`.execute(trx)
  return numAffectedRows === 1n
}

export async function noteGaps(db: Db, { id, claim }: ClaimedWatch, gaps: readonly WatchGap[]): Promise<void> {
  await sql`
    update watch set incomplete = ${JSON.stringify(gaps)}::jsonb where id = ${id}::uuid and claim = ${claim}`.execute(
    db,
  )
}
