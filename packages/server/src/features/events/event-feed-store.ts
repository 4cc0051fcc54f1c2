import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'

const PAGE = 200

export type Place = { accountId: string; after: bigint }
export type FedEvent = { id: bigint; kind: string; at: Date; data: unknown }

/** Events are written only for accounts that listen. Returns the newest event ID. */
export async function noteListening(db: Kysely<Tables>, accountIds: readonly string[]): Promise<bigint> {
  const ordered = sql`select distinct unnest(${accountIds}::bigint[]) order by 1`
  await sql`
    insert into event_stream (account_id, heard_at) select id, coffer_now() from (${ordered}) as listening (id)
    on conflict (account_id) do update set heard_at = excluded.heard_at`.execute(db)
  const { rows } = await sql<{ newest: bigint }>`select coalesce(max(id), 0) as newest from event`.execute(db)
  return rows[0]?.newest ?? 0n
}

/** In the order of `places`. */
export async function findNext(db: Kysely<Tables>, places: readonly Place[]): Promise<FedEvent[][]> {
  const { rows } = await sql<FedEvent & { place: bigint }>`
    select place, next.id, kind, at, data
    from unnest(${places.map(({ accountId }) => accountId)}::bigint[], ${places.map(({ after }) => after.toString())}::bigint[])
      with ordinality as listener (account_id, after, place)
      cross join lateral (
        select id, kind, at, data from event
        where event.account_id = listener.account_id and id > listener.after and webhook_id is null
        order by id limit ${PAGE}) as next
    order by place, next.id`.execute(db)
  const byPlace = Map.groupBy(rows, ({ place }) => Number(place))
  return places.map((_, index) => byPlace.get(index + 1) ?? [])
}
