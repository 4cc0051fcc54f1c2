import { Failure, type Webhook } from '@coffer/contract'
import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Reach } from '../../lib/public-network.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { withAccountLock } from '../credits/paid-changes.ts'
import type { SecretVault } from '../secrets/secret-vault.ts'
import { endWaits } from './delivery-queue-store.ts'
import { newSecret } from './message.ts'
import { holdMoves } from './outbox.ts'
import {
  type Changes,
  changeWebhook,
  deleteWebhook,
  insertTest,
  insertWebhook,
  lockWebhook,
  type NewWebhook,
  type OwnWebhook,
  type Page,
  type Replayed,
  replaceSecret,
  replay,
  SECRET_PURPOSE,
  selectDeliveries,
  selectWebhook,
  selectWebhooks,
} from './webhook-store.ts'

const MOST = 10

type WithSecret = { data: Webhook; secret: string }

/** Another account's webhook is NOT_FOUND. */
export type Webhooks = { db: Kysely<Tables>; vault: SecretVault; reach: Reach }

export function createWebhook({ db, vault, reach }: Webhooks, accountId: string, wanted: NewWebhook) {
  checkUrl(reach, wanted.url)
  return withAccountLock(db, accountId, async (trx): Promise<WithSecret> => {
    const { length: current } = await selectWebhooks(trx, accountId)
    if (current >= MOST) {
      const extras = { quota: MOST, current }
      throw new Failure('WEBHOOK_QUOTA_REACHED', `At most ${MOST} webhooks can be saved`, extras)
    }
    const { text, secretId } = await putSecret(trx, vault, accountId)
    const id = await insertWebhook(trx, { accountId, ...wanted, secretId })
    return { data: await get(trx, { accountId, id }), secret: text }
  })
}

export async function updateWebhook({ db, reach }: Webhooks, own: OwnWebhook, changes: Changes): Promise<Webhook> {
  if (changes.url !== undefined) checkUrl(reach, changes.url)
  return db.transaction().execute(async (trx) => {
    await changeWebhook(trx, own, changes)
    const changed = await get(trx, own)
    // The caller has repaired the receiver.
    if (changes.url !== undefined || changes.enabled) await endWaits(trx, own.id)
    return changed
  })
}

export const rotateSecret = ({ db, vault }: Webhooks, own: OwnWebhook, graceHours: number): Promise<WithSecret> =>
  db.transaction().execute(async (trx) => {
    const { oldSecretId } = await lock(trx, own)
    const { text, secretId } = await putSecret(trx, vault, own.accountId)
    await replaceSecret(trx, own, { secretId, graceHours })
    if (oldSecretId !== null) await vault.remove(trx, oldSecretId)
    return { data: await get(trx, own), secret: text }
  })

export const removeWebhook = ({ db, vault }: Webhooks, own: OwnWebhook): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await holdMoves(trx)
    const { secretId, oldSecretId } = await lock(trx, own)
    await deleteWebhook(trx, own)
    for (const id of [secretId, oldSecretId]) if (id !== null) await vault.remove(trx, id)
  })

export async function testWebhook({ db }: Webhooks, own: OwnWebhook): Promise<void> {
  await get(db, own)
  await insertTest(db, own)
}

export async function listDeliveries({ db }: Webhooks, own: OwnWebhook, page: Page) {
  const { id } = await get(db, own)
  return selectDeliveries(db, id, page)
}

export const replayDeliveries = ({ db }: Webhooks, own: OwnWebhook, replayed: Replayed): Promise<number> =>
  db.transaction().execute(async (trx) => {
    await lock(trx, own)
    return replay(trx, own.id, replayed)
  })

const none = () => new Failure('NOT_FOUND', 'There is no such webhook')

async function get(db: Kysely<Tables>, own: OwnWebhook): Promise<Webhook> {
  const webhook = await selectWebhook(db, own)
  if (!webhook) throw none()
  return webhook
}

async function lock(trx: Transaction<Tables>, own: OwnWebhook) {
  const secrets = await lockWebhook(trx, own)
  if (!secrets) throw none()
  return secrets
}

async function putSecret(trx: Transaction<Tables>, vault: SecretVault, accountId: string) {
  const text = newSecret()
  return { text, secretId: await vault.put(trx, { accountId, purpose: SECRET_PURPOSE, text }) }
}

/** Only an early refusal: each delivery checks the resolved addresses. */
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
