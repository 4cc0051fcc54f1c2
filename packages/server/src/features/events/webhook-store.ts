import { randomUUID } from 'node:crypto'
import type { EventKind, Webhook } from '@coffer/contract'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { isUuid } from '../../lib/uuid.ts'

export type OwnWebhook = { accountId: string; id: string }

type Row = Omit<Webhook, 'createdAt' | 'oldSecretUntil'> & { createdAt: Date; oldSecretUntil: Date | null }
export type SecretIds = { secretId: string; oldSecretId: string | null }

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
  return rows.map((row) => ({
    ...row,
    createdAt: row.createdAt.toISOString(),
    oldSecretUntil: row.oldSecretUntil?.toISOString() ?? null,
  }))
}

export const selectWebhooks = (db: Kysely<Tables>, accountId: string): Promise<Webhook[]> =>
  select(db, sql`account_id = ${accountId}::bigint`)

export async function selectWebhook(db: Kysely<Tables>, own: OwnWebhook): Promise<Webhook | undefined> {
  return (await select(db, isOwn(own)))[0]
}

export async function insertWebhook(
  db: Kysely<Tables>,
  {
    accountId,
    url,
    kinds,
    secretId,
  }: { accountId: string; url: string; kinds: readonly EventKind[]; secretId: string },
): Promise<string> {
  const id = randomUUID()
  await db
    .insertInto('webhook')
    .values({
      id,
      account_id: BigInt(accountId),
      url,
      kinds: [...kinds],
      secret_id: secretId,
      old_secret_id: null,
      old_secret_until: null,
    })
    .execute()
  return id
}

export type Changes = {
  url?: string | undefined
  kinds?: readonly EventKind[] | undefined
  enabled?: boolean | undefined
}

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
