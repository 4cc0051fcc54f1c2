import { type Kysely, sql } from 'kysely'
import { LOCKS } from '../../db/locks.ts'
import type { Tables } from '../../db/tables.ts'

const PAGE = 500

/**
 * One process at a time moves events, so no smaller ID follows one a reader has seen. Returns true if there may be
 * more.
 */
export async function moveOutbox(db: Kysely<Tables>): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const { rows: locks } = await sql<{ taken: boolean }>`
      select pg_try_advisory_xact_lock(${LOCKS.events}::bigint) as taken`.execute(trx)
    if (!locks[0]?.taken) return false
    const { rows } = await sql<{ moved: number }>`
      with taken as (
        delete from event_outbox where id in (select id from event_outbox order by id limit ${PAGE}) returning *),
      told as (
        insert into event (account_id, webhook_id, kind, subject, data, at)
        select account_id, webhook_id, kind, subject, data, at from taken order by id
        returning id, account_id, webhook_id, kind, subject),
      sent as (
        insert into webhook_delivery (webhook_id, event_id, subject)
        select webhook.id, told.id, told.subject from told join webhook using (account_id)
        where webhook.id = told.webhook_id
          or (told.webhook_id is null and webhook.enabled and told.kind = any (webhook.kinds))
        order by told.id
        returning webhook_id, subject),
      lanes as (
        insert into webhook_lane (webhook_id, subject, next_at)
        select distinct webhook_id, subject, coffer_now() from sent order by webhook_id, subject
        on conflict (webhook_id, subject) do update
          set next_at = coalesce(webhook_lane.next_at, excluded.next_at))
      select count(*)::integer as moved from taken`.execute(trx)
    return (rows[0]?.moved ?? 0) >= PAGE
  })
}

/** Blocks `moveOutbox` until the transaction ends. */
export async function holdMoves(trx: Kysely<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCKS.events}::bigint)`.execute(trx)
}
