import type { WebhookDelivery } from '@coffer/contract'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { lease } from './lane-store.ts'
import { bodyOf, messageIdOf } from './message.ts'

type Row = Pick<WebhookDelivery, 'kind' | 'subject' | 'state' | 'attempts' | 'status' | 'error' | 'response'> & {
  id: bigint
  eventId: bigint
  at: Date
  data: unknown
  triedAt: Date | null
  nextAt: Date | null
}

export type Page = { state?: WebhookDelivery['state'] | undefined; before?: string | undefined; limit: number }

/** Newest first. */
export async function selectDeliveries(
  db: Kysely<Tables>,
  webhookId: string,
  { state = null, before = null, limit }: { [K in keyof Page]: Page[K] | null } & { limit: number },
): Promise<{ data: WebhookDelivery[]; next: string | null }> {
  const { rows } = await sql<Row>`
    select delivery.id, event_id as "eventId", kind, delivery.subject, state, at, data, attempts, tried_at as "triedAt",
      status, error, response, case when state = 'waiting' and webhook.enabled then next_at end as "nextAt"
    from webhook_delivery as delivery join event on event.id = event_id join webhook on webhook.id = delivery.webhook_id
      left join webhook_lane as lane on lane.webhook_id = delivery.webhook_id and lane.subject = delivery.subject
    where delivery.webhook_id = ${webhookId}::uuid and (${state}::text is null or state = ${state})
      and (${before}::bigint is null or delivery.id < ${before})
    order by delivery.id desc limit ${limit + 1}`.execute(db)
  const shown = rows.slice(0, limit)
  return { data: shown.map(asShown), next: rows.length > limit ? String(shown.at(-1)?.id) : null }
}

const asShown = ({ id, eventId, at, data, triedAt, nextAt, ...row }: Row): WebhookDelivery => ({
  ...row,
  id: String(id),
  messageId: messageIdOf(eventId),
  at: at.toISOString(),
  lastAttemptAt: triedAt?.toISOString() ?? null,
  nextAttemptAt: nextAt?.toISOString() ?? null,
  body: bodyOf({ kind: row.kind, at, data }),
})

export type Replayed = { deliveryId: string } | { from: string; to: string; state?: 'delivered' | 'dead' | undefined }

/**
 * Queues that wait after failures are due at once: the caller has repaired the receiver. One due within a lease may be
 * running, so its time stays.
 */
export async function replay(db: Kysely<Tables>, webhookId: string, replayed: Replayed): Promise<number> {
  const isMeant: RawBuilder<unknown> =
    'deliveryId' in replayed
      ? sql`delivery.id = ${replayed.deliveryId}::bigint`
      : sql`delivery.event_id in (select id from event where at >= ${replayed.from}::timestamptz and at <= ${replayed.to}::timestamptz)
          and state = any (${replayed.state === undefined ? ['delivered', 'dead'] : [replayed.state]}::text[])`
  const { rows } = await sql<{ replayed: number }>`
    with again as (
      update webhook_delivery as delivery set state = 'waiting', since = coffer_now()
      where delivery.webhook_id = ${webhookId}::uuid and state <> 'waiting' and ${isMeant}
      returning webhook_id, subject),
    lanes as (
      insert into webhook_lane (webhook_id, subject, next_at)
      select distinct webhook_id, subject, coffer_now() from again order by webhook_id, subject
      on conflict (webhook_id, subject) do update
        set next_at = case when webhook_lane.next_at <= ${lease}
          then webhook_lane.next_at else excluded.next_at end)
    select count(*)::integer as replayed from again`.execute(db)
  return rows[0]?.replayed ?? 0
}
