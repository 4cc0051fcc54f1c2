import { randomUUID } from 'node:crypto'
import type { EventKind, Webhook, WebhookDelivery } from '@coffer/contract'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { plainRow } from '../../lib/plain-row.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { SecretVault } from '../secrets/secret-vault.ts'
import { lease } from './delivery-queue-store.ts'
import { bodyOf, messageIdOf } from './message.ts'

export type OwnWebhook = { accountId: string; id: string }

type Row = Omit<Webhook, 'createdAt' | 'oldSecretUntil'> & { createdAt: Date; oldSecretUntil: Date | null }
type SecretIds = { secretId: string; oldSecretId: string | null }

const isOwn = ({ accountId, id }: OwnWebhook) =>
  sql`account_id = ${accountId}::bigint and id = ${isUuid(id) ? id : null}::uuid`
const countOf = (state: 'waiting' | 'dead') => sql`
  (select count(*)::integer from webhook_delivery as delivery
    where delivery.webhook_id = webhook.id and state = ${sql.lit(state)})`

async function select(db: Kysely<Tables>, where: RawBuilder<unknown>): Promise<Webhook[]> {
  const { rows } = await sql<Row>`
    select id, url, kinds, enabled, created_at as "createdAt",
      case when old_secret_until > coffer_now() then old_secret_until end as "oldSecretUntil",
      ${countOf('waiting')} as waiting, ${countOf('dead')} as dead
    from webhook where ${where} order by created_at, id`.execute(db)
  return rows.map(plainRow)
}

export const selectWebhooks = (db: Kysely<Tables>, accountId: string): Promise<Webhook[]> =>
  select(db, sql`account_id = ${accountId}::bigint`)

export async function selectWebhook(db: Kysely<Tables>, own: OwnWebhook): Promise<Webhook | undefined> {
  return (await select(db, isOwn(own)))[0]
}

export type NewWebhook = { url: string; kinds: readonly EventKind[] }

export async function insertWebhook(
  db: Kysely<Tables>,
  { accountId, url, kinds, secretId }: NewWebhook & { accountId: string; secretId: string },
): Promise<string> {
  const id = randomUUID()
  const secrets = { secret_id: secretId, old_secret_id: null, old_secret_until: null }
  await db
    .insertInto('webhook')
    .values({ id, account_id: BigInt(accountId), url, kinds: [...kinds], ...secrets })
    .execute()
  return id
}

export type Changes = { [K in keyof NewWebhook]?: NewWebhook[K] | undefined } & { enabled?: boolean | undefined }

export async function changeWebhook(db: Kysely<Tables>, own: OwnWebhook, changes: Changes): Promise<void> {
  const { url = null, kinds = null, enabled = null } = changes
  await sql`
    update webhook set url = coalesce(${url}, url), kinds = coalesce(${kinds}::text[], kinds),
      enabled = coalesce(${enabled}::boolean, enabled)
    where ${isOwn(own)}`.execute(db)
}

/** Does not block new deliveries. */
export async function lockWebhook(trx: Kysely<Tables>, own: OwnWebhook): Promise<SecretIds | undefined> {
  const { rows } = await sql<SecretIds>`
    select secret_id as "secretId", old_secret_id as "oldSecretId" from webhook where ${isOwn(own)} for no key update`.execute(
    trx,
  )
  return rows[0]
}

export async function replaceSecret(
  trx: Kysely<Tables>,
  own: OwnWebhook,
  { secretId, graceHours }: { secretId: string; graceHours: number },
): Promise<void> {
  await sql`
    update webhook set old_secret_id = secret_id, old_secret_until = coffer_now() + make_interval(hours => ${graceHours}),
      secret_id = ${secretId}::uuid
    where ${isOwn(own)}`.execute(trx)
}

/** Needs `lockWebhook` and `holdMoves`. */
export async function deleteWebhook(trx: Kysely<Tables>, own: OwnWebhook): Promise<void> {
  // Queues first: the lock order of delivering processes.
  await sql`delete from webhook_lane where webhook_id in (select id from webhook where ${isOwn(own)})`.execute(trx)
  await sql`delete from webhook where ${isOwn(own)}`.execute(trx)
}

export async function insertTest(db: Kysely<Tables>, { accountId, id }: OwnWebhook): Promise<void> {
  await db
    .insertInto('event_outbox')
    .values({
      account_id: BigInt(accountId),
      webhook_id: id,
      kind: 'webhook.test',
      subject: `webhook ${id}`,
      data: JSON.stringify({ webhookId: id }),
    })
    .execute()
}

type Moments = { at: Date; lastAttemptAt: Date | null; nextAttemptAt: Date | null }
type DeliveryRow = Omit<WebhookDelivery, 'id' | 'messageId' | 'body' | keyof Moments> &
  Moments & { id: bigint; eventId: bigint; data: unknown }

export type Page = { state?: WebhookDelivery['state'] | undefined; before?: string | undefined; limit: number }

/** Newest first. */
export async function selectDeliveries(
  db: Kysely<Tables>,
  webhookId: string,
  { state = null, before = null, limit }: { [K in keyof Page]: Page[K] | null } & { limit: number },
): Promise<{ data: WebhookDelivery[]; next: string | null }> {
  const { rows } = await sql<DeliveryRow>`
    select delivery.id, event_id as "eventId", kind, delivery.subject, state, at, data, attempts,
      tried_at as "lastAttemptAt", status, error, response,
      case when state = 'waiting' and webhook.enabled then next_at end as "nextAttemptAt"
    from webhook_delivery as delivery join event on event.id = event_id join webhook on webhook.id = delivery.webhook_id
      left join webhook_lane as lane on lane.webhook_id = delivery.webhook_id and lane.subject = delivery.subject
    where delivery.webhook_id = ${webhookId}::uuid and (${state}::text is null or state = ${state})
      and (${before}::bigint is null or delivery.id < ${before})
    order by delivery.id desc limit ${limit + 1}`.execute(db)
  const shown = rows.slice(0, limit)
  return { data: shown.map(asShown), next: rows.length > limit ? String(shown.at(-1)?.id) : null }
}

const asShown = ({ eventId, data, ...row }: DeliveryRow): WebhookDelivery => ({
  ...plainRow(row),
  messageId: messageIdOf(eventId),
  body: bodyOf({ kind: row.kind, at: row.at, data }),
})

export type Replayed = { deliveryId: string } | { from: string; to: string; state?: 'delivered' | 'dead' | undefined }

/** Queues that wait after failures are due at once. One due within a lease may be running, so its time stays. */
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

export const SECRET_PURPOSE = 'webhook'

/** Two secrets while one is replaced. */
export type Target = { url: string; secrets: string[] }

export async function openTarget(
  { db, vault }: { db: Kysely<Tables>; vault: Pick<SecretVault, 'open'> },
  webhookId: string,
): Promise<Target | undefined> {
  const { rows } = await sql<{ url: string; account_id: bigint; ids: string[] }>`
    select url, account_id, array_remove(array[secret_id,
      case when old_secret_until > coffer_now() then old_secret_id end], null)::text[] as ids
    from webhook where id = ${webhookId}::uuid and enabled`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const accountId = String(row.account_id)
  const opened = await Promise.all(row.ids.map((id) => vault.open(db, { id, accountId, purpose: SECRET_PURPOSE })))
  return { url: row.url, secrets: opened.map((secret) => secret.reveal()) }
}

export async function stopWebhook(db: Kysely<Tables>, webhookId: string): Promise<void> {
  await db.updateTable('webhook').set({ enabled: false }).where('id', '=', webhookId).execute()
}
