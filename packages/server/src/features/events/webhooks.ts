import { randomUUID } from 'node:crypto'
import { type EventKind, Failure, type Webhook, type WebhookDelivery } from '@coffer/contract'
import { type RawBuilder, sql } from 'kysely'
import { LOCKS } from '../../db/locks.ts'
import type { Db, Trx } from '../../db/tables.ts'
import { plainRow } from '../../lib/plain-row.ts'
import type { Reach } from '../../lib/public-network.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { isUuid } from '../../lib/uuid.ts'
import { withAccountLock } from '../credits/paid-changes.ts'
import type { SecretVault } from '../secrets/secret-vault.ts'
import { lease } from './delivery-queue-store.ts'
import { bodyOf, messageIdOf, newSecret } from './message.ts'

const MOST = 10
/** Deliveries of a state. */
const MOST_COUNTED = 1_000

type NewWebhook = { url: string; kinds: readonly EventKind[] }
type Changes = { [K in keyof NewWebhook]?: NewWebhook[K] | undefined } & { enabled?: boolean | undefined }
type WithSecret = { data: Webhook; secret: string }

export type Webhooks = { db: Db; vault: SecretVault; reach: Reach }

export function createWebhook({ db, vault, reach }: Webhooks, accountId: string, wanted: NewWebhook) {
  checkUrl(reach, wanted.url)
  return withAccountLock(db, accountId, async (trx): Promise<WithSecret> => {
    const { length: current } = await selectWebhooks(trx, accountId)
    if (current >= MOST) {
      const extras = { quota: MOST, current }
      throw new Failure('WEBHOOK_QUOTA_REACHED', `At most ${MOST} webhooks can be saved`, extras)
    }
    const { text, secretId } = await putSecret(trx, vault, accountId)
    const id = randomUUID()
    const secrets = { secret_id: secretId, old_secret_id: null, old_secret_until: null }
    const values = { id, account_id: BigInt(accountId), url: wanted.url, kinds: [...wanted.kinds], ...secrets }
    await trx.insertInto('webhook').values(values).execute()
    return { data: await get(trx, { accountId, id }), secret: text }
  })
}

export async function updateWebhook({ db, reach }: Webhooks, own: OwnWebhook, changes: Changes): Promise<Webhook> {
  if (changes.url !== undefined) checkUrl(reach, changes.url)
  return db.transaction().execute(async (trx) => {
    const { url = null, kinds = null, enabled = null } = changes
    await sql`
      update webhook set url = coalesce(${url}, url), kinds = coalesce(${kinds}::text[], kinds),
        enabled = coalesce(${enabled}::boolean, enabled)
      where ${isOwn(own)}`.execute(trx)
    const changed = await get(trx, own)
    // The caller has repaired the receiver.
    if (changes.url !== undefined || changes.enabled) {
      await sql`
        update webhook_lane set next_at = coffer_now() where webhook_id = ${own.id}::uuid and next_at > ${lease}`.execute(
        trx,
      )
    }
    return changed
  })
}

export const rotateSecret = ({ db, vault }: Webhooks, own: OwnWebhook, graceHours: number): Promise<WithSecret> =>
  db.transaction().execute(async (trx) => {
    const { oldSecretId } = await lock(trx, own)
    const { text, secretId } = await putSecret(trx, vault, own.accountId)
    await sql`
      update webhook set old_secret_id = secret_id, secret_id = ${secretId}::uuid,
        old_secret_until = coffer_now() + make_interval(hours => ${graceHours})
      where ${isOwn(own)}`.execute(trx)
    if (oldSecretId !== null) await vault.remove(trx, oldSecretId)
    return { data: await get(trx, own), secret: text }
  })

export const removeWebhook = ({ db, vault }: Webhooks, own: OwnWebhook): Promise<void> =>
  db.transaction().execute(async (trx) => {
    // Blocks `moveOutbox` until the transaction ends.
    await sql`select pg_advisory_xact_lock(${LOCKS.events}::bigint)`.execute(trx)
    const { secretId, oldSecretId } = await lock(trx, own)
    // Queues first: the lock order of delivering processes.
    await sql`delete from webhook_lane where webhook_id in (select id from webhook where ${isOwn(own)})`.execute(trx)
    await sql`delete from webhook where ${isOwn(own)}`.execute(trx)
    for (const id of [secretId, oldSecretId]) if (id !== null) await vault.remove(trx, id)
  })

export async function testWebhook({ db }: Webhooks, own: OwnWebhook): Promise<void> {
  const { id } = await get(db, own)
  const data = JSON.stringify({ webhookId: id })
  const event = { kind: 'webhook.test', subject: `webhook ${id}`, data }
  await db
    .insertInto('event_outbox')
    .values({ account_id: BigInt(own.accountId), webhook_id: id, ...event })
    .execute()
}

/** Newest first. */
export async function listDeliveries({ db }: Webhooks, own: OwnWebhook, page: Page) {
  const { id: webhookId } = await get(db, own)
  const { state = null, before = null, limit } = page
  const ofState = state === null ? sql`` : sql`and state = ${state}`
  const isOlder = before === null ? sql`` : sql`and id < ${before}::bigint`
  const { rows } = await sql<DeliveryRow>`
    with page as (
      select * from webhook_delivery where webhook_id = ${webhookId}::uuid ${ofState} ${isOlder}
      order by id desc limit ${limit + 1})
    select page.id, event_id as "eventId", kind, page.subject, state, at, data, attempts,
      tried_at as "lastAttemptAt", status, error, response,
      case when state = 'waiting' and webhook.enabled then (
        select next_at from webhook_lane as lane
        where lane.webhook_id = page.webhook_id and lane.subject = page.subject) end as "nextAttemptAt"
    from page join event on event.id = event_id join webhook on webhook.id = page.webhook_id
    order by page.id desc`.execute(db)
  const shown = rows.slice(0, limit).map(({ eventId, data, ...row }) => ({
    ...plainRow(row),
    messageId: messageIdOf(eventId),
    body: bodyOf({ kind: row.kind, at: row.at, data }),
  }))
  return { data: shown, next: rows.length > limit ? String(shown.at(-1)?.id) : null }
}

export const replayDeliveries = ({ db }: Webhooks, own: OwnWebhook, replayed: Replayed): Promise<number> =>
  db.transaction().execute(async (trx) => {
    await lock(trx, own)
    return replay(trx, own.id, replayed)
  })

const none = () => new Failure('NOT_FOUND', 'There is no such webhook')

async function get(db: Db, own: OwnWebhook): Promise<Webhook> {
  const [webhook] = await select(db, isOwn(own))
  if (!webhook) throw none()
  return webhook
}

/** Does not block new deliveries. */
async function lock(trx: Trx, own: OwnWebhook) {
  const { rows } = await sql<{ secretId: string; oldSecretId: string | null }>`
    select secret_id as "secretId", old_secret_id as "oldSecretId" from webhook
    where ${isOwn(own)} for no key update`.execute(trx)
  const [secrets] = rows
  if (!secrets) throw none()
  return secrets
}

async function putSecret(trx: Trx, vault: SecretVault, accountId: string) {
  const text = newSecret()
  return { text, secretId: await vault.put(trx, { accountId, purpose: SECRET_PURPOSE, text }) }
}

/** Early only: each delivery checks the resolved addresses. */
function checkUrl(reach: Reach, text: string): void {
  const url = URL.parse(text)
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw invalid('must be a URL that begins with https://')
  if (url.username || url.password || url.hash) throw invalid('must have no credentials or fragment')
  try {
    reach.check(url)
  } catch (error) {
    throw error instanceof UpstreamError ? invalid(`cannot be used: ${error.message}`) : error
  }
}

const invalid = (reason: string) => new Failure('VALIDATION_ERROR', `url: ${reason}`)

type OwnWebhook = { accountId: string; id: string }

const isOwn = ({ accountId, id }: OwnWebhook) =>
  sql`account_id = ${accountId}::bigint and id = ${isUuid(id) ? id : null}::uuid`
const countOf = (state: 'waiting' | 'dead') => sql`
  (select count(*)::integer from (
    select from webhook_delivery as delivery
    where delivery.webhook_id = webhook.id and state = ${sql.lit(state)} limit ${MOST_COUNTED}) as counted)`

async function select(db: Db, where: RawBuilder<unknown>): Promise<Webhook[]> {
  const { rows } = await sql<
    Omit<Webhook, 'createdAt' | 'oldSecretUntil'> & { createdAt: Date; oldSecretUntil: Date | null }
  >`
    select id, url, kinds, enabled, created_at as "createdAt",
      case when old_secret_until > coffer_now() then old_secret_until end as "oldSecretUntil",
      ${countOf('waiting')} as waiting, ${countOf('dead')} as dead
    from webhook where ${where} order by created_at, id`.execute(db)
  return rows.map(plainRow)
}

export const selectWebhooks = (db: Db, accountId: string): Promise<Webhook[]> =>
  select(db, sql`account_id = ${accountId}::bigint`)

type Moments = { at: Date; lastAttemptAt: Date | null; nextAttemptAt: Date | null }
type DeliveryRow = Omit<WebhookDelivery, 'id' | 'messageId' | 'body' | keyof Moments> &
  Moments & { id: bigint; eventId: bigint; data: unknown }

type Page = { state?: WebhookDelivery['state'] | undefined; before?: string | undefined; limit: number }

type Replayed = { deliveryId: string } | { from: string; to: string; state?: 'delivered' | 'dead' | undefined }

/** Waiting queues are due at once. One due within a lease may be running, so its time stays. */
async function replay(db: Db, webhookId: string, replayed: Replayed): Promise<number> {
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

const SECRET_PURPOSE = 'webhook'

export type Target = { url: string; secrets: string[] }

export async function findTarget({ db, vault }: Webhooks, webhookId: string): Promise<Target | undefined> {
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
