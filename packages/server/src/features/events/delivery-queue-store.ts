import { sql } from 'kysely'
import { inParts } from '../../db/in-parts.ts'
import type { Db } from '../../db/tables.ts'
import { GIVEN_UP_AFTER_DAYS, RETRY_PAUSES } from './delivery-retries.ts'

/** Renewed by each delivery. */
export const LEASE_SECONDS = 60
/** Per webhook. */
const PER_CLAIM = 4

/** Only the last `claim` is valid. */
export type WorkQueue = { webhookId: string; subject: string; claim: bigint }

export type WaitingDelivery = { id: bigint; eventId: bigint; kind: string; at: Date; data: unknown }

/** `error` null: success. */
export type Attempt = { status: number | null; error: string | null; response: string | null }

const isQueue = ({ webhookId, subject }: WorkQueue) => sql`webhook_id = ${webhookId}::uuid and subject = ${subject}`
/** A queue due later than a new claim waits after failures. */
export const lease = sql`coffer_now() + ${LEASE_SECONDS} * interval '1 second'`

export async function claimQueues(
  db: Db,
  { busy, limit }: { busy: readonly string[]; limit: number },
): Promise<WorkQueue[]> {
  const { rows } = await sql<WorkQueue>`
    with recursive waiting as (
      (select webhook_id from webhook_lane where next_at is not null order by webhook_id limit 1)
      union all
      select (select webhook_id from webhook_lane where next_at is not null and webhook_id > waiting.webhook_id
        order by webhook_id limit 1)
      from waiting where webhook_id is not null),
    due as (
      select lane.webhook_id, lane.subject from waiting cross join lateral (
        select id from webhook where id = waiting.webhook_id and enabled and id <> all (${busy}::uuid[]) limit 1) as webhook
      cross join lateral (
        select webhook_id, subject from webhook_lane
        where webhook_lane.webhook_id = webhook.id and next_at <= coffer_now()
        order by next_at, subject limit ${PER_CLAIM} for update skip locked) as lane
      limit ${limit})
    update webhook_lane as lane set next_at = ${lease}, claim = lane.claim + 1
    from due where lane.webhook_id = due.webhook_id and lane.subject = due.subject
    returning lane.webhook_id as "webhookId", lane.subject, lane.claim`.execute(db)
  return rows
}

/** In order. */
export async function nextOfQueue(db: Db, queue: WorkQueue, limit: number): Promise<WaitingDelivery[]> {
  const { rows } = await sql<WaitingDelivery>`
    select delivery.id, event_id as "eventId", kind, at, data
    from webhook_delivery as delivery join event on event.id = event_id
    where delivery.webhook_id = ${queue.webhookId}::uuid and delivery.subject = ${queue.subject} and state = 'waiting'
    order by event_id limit ${limit}`.execute(db)
  return rows
}

/** Renews the lease. Returns false if another process has the queue. */
export async function noteDelivered(db: Db, queue: WorkQueue, id: bigint, attempt: Attempt): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with held as (
      update webhook_lane set failures = 0, next_at = ${lease} where ${isQueue(queue)} and claim = ${queue.claim}
      returning claim)
    update webhook_delivery set state = 'delivered', attempts = attempts + 1, tried_at = coffer_now(),
      status = ${attempt.status}, error = null, response = ${attempt.response}
    where id = ${id} and exists (select from held)`.execute(db)
  return numAffectedRows === 1n
}

export async function noteFailed(db: Db, queue: WorkQueue, id: bigint, attempt: Attempt): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const { numAffectedRows } = await sql`
      update webhook_lane set failures = failures + 1,
        next_at = coffer_now() + interval '1 second'
          * (${RETRY_PAUSES}::integer[])[least(failures + 1, ${RETRY_PAUSES.length})]
      where ${isQueue(queue)} and claim = ${queue.claim}`.execute(trx)
    if (numAffectedRows !== 1n) return 0
    await sql`
      update webhook_delivery set attempts = attempts + 1, tried_at = coffer_now(),
        status = ${attempt.status}, error = ${attempt.error}, response = ${attempt.response}
      where id = ${id}`.execute(trx)
    const { numAffectedRows: dead } = await sql`
      update webhook_delivery set state = 'dead', error = coalesce(error, 'an earlier delivery failed until this one was too old')
      where ${isQueue(queue)} and state = 'waiting' and since <= coffer_now() - make_interval(days => ${GIVEN_UP_AFTER_DAYS})`.execute(
      trx,
    )
    return Number(dead ?? 0n)
  })
}

/** Due at once if something waits, idle otherwise. */
export async function giveBack(db: Db, queue: WorkQueue): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // A separate statement, so the next one sees rows added before the lock.
    const { rows } = await sql`
      select from webhook_lane where ${isQueue(queue)} and claim = ${queue.claim} for update`.execute(trx)
    if (rows.length === 0) return
    await sql`
      update webhook_lane set next_at = case when exists (
        select from webhook_delivery as delivery
        where delivery.webhook_id = webhook_lane.webhook_id and delivery.subject = webhook_lane.subject
          and state = 'waiting') then coffer_now() end
      where ${isQueue(queue)}`.execute(trx)
  })
}

type QueueKey = { webhook_id: string; subject: string }
const FIRST_QUEUE: QueueKey = { webhook_id: '00000000-0000-0000-0000-000000000000', subject: '' }
const QUEUES_AT_ONCE = 1_000

export async function pruneEvents(db: Db, days: number): Promise<void> {
  await inParts((limit) =>
    sql`delete from event where id = any (array(
      select id from event where at < coffer_now() - make_interval(days => ${days}) order by at limit ${limit}))`.execute(
      db,
    ),
  )
  for (let last: QueueKey | undefined = FIRST_QUEUE; last; ) {
    const { rows }: { rows: QueueKey[] } = await sql<QueueKey>`
      with page as (
        select ctid as place, webhook_id, subject, next_at from webhook_lane
        where (webhook_id, subject) > (${last.webhook_id}::uuid, ${last.subject})
        order by webhook_id, subject limit ${QUEUES_AT_ONCE} for update skip locked),
      gone as (
        delete from webhook_lane where ctid = any (array(select place from page where next_at is null)))
      select webhook_id, subject from page order by webhook_id desc, subject desc limit 1`.execute(db)
    last = rows[0]
  }
}
