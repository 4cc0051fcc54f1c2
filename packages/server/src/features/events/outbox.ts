import type { EventData, EventKind } from '@coffer/contract'
import { type RawBuilder, sql } from 'kysely'
import { LOCKS } from '../../db/locks.ts'
import type { Db } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'

/** An account can resume its stream for this long. */
const STREAM_DAYS = 30

/** In order per `subject`. `data` is the JSON sent, amounts as strings. */
type Reported<K extends EventKind> = { subject: string; data: EventData<K> }

export const subjectOf = (wallet: Address): string => `wallet ${wallet}`

/** Runs in the transaction of the change. */
export async function reportToAccounts<K extends EventKind>(
  trx: Db,
  kind: K,
  accounts: readonly bigint[],
  events: readonly Reported<K>[],
): Promise<void> {
  if (events.length === 0 || accounts.length === 0) return
  await insert(trx, kind, sql`select unnest(${accounts}::bigint[])`, events)
}

/** Followers have saved the wallet or pay for its sync. */
export async function tellFollowers<K extends EventKind>(
  trx: Db,
  kind: K,
  wallet: Address,
  events: readonly Omit<Reported<K>, 'subject'>[],
): Promise<void> {
  if (events.length === 0) return
  const followers = sql`
    select account_id from address_book_entry where address = ${wallet}
    union select account_id from history_sync where wallet = ${wallet}`
  const subject = subjectOf(wallet)
  const reported = events.map(({ data }) => ({ subject, data }))
  await insert(trx, kind, followers, reported)
}

async function insert(
  trx: Db,
  kind: EventKind,
  accounts: RawBuilder<unknown>,
  events: readonly { subject: string; data: object }[],
): Promise<void> {
  await sql`
    insert into event_outbox (account_id, kind, subject, data)
    select account.id, ${kind}, reported.subject, reported.data::jsonb
    from account cross join unnest(${events.map(({ subject }) => subject)}::text[],
      ${events.map(({ data }) => JSON.stringify(data))}::text[]) with ordinality as reported (subject, data, place)
    where account.id in (${accounts}) and (
      exists (select from webhook where webhook.account_id = account.id and enabled and ${kind} = any (kinds))
      or exists (select from event_stream where event_stream.account_id = account.id
        and heard_at > coffer_now() - make_interval(days => ${STREAM_DAYS})))
    order by reported.place, account.id`.execute(trx)
}

const PAGE = 500

/** One process at a time, so no smaller ID follows one a reader has seen. True: there may be more. */
export async function moveOutbox(db: Db): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const { rows: locks } = await sql<{ taken: boolean }>`
      select pg_try_advisory_xact_lock(${LOCKS.events}::bigint) as taken`.execute(trx)
    if (!locks[0]?.taken) return false
    const { rows } = await sql<{ moved: number }>`
      with taken as (
        delete from event_outbox where id in (select id from event_outbox order by id limit ${PAGE}) returning *),
      reported as (
        insert into event (account_id, webhook_id, kind, subject, data, at)
        select account_id, webhook_id, kind, subject, data, at from taken order by id
        returning id, account_id, webhook_id, kind, subject),
      sent as (
        insert into webhook_delivery (webhook_id, event_id, subject)
        select webhook.id, reported.id, reported.subject from reported join webhook using (account_id)
        where webhook.id = reported.webhook_id
          or (reported.webhook_id is null and webhook.enabled and reported.kind = any (webhook.kinds))
        order by reported.id
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
