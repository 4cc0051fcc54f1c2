import type { Db } from '../../db/tables.ts'
import { type Clock, monotonicClock } from '../../lib/clock.ts'
import type { HttpRequest, HttpResponse } from '../../lib/http-client.ts'
import type { WarnLog } from '../../lib/logger.ts'
import type { Reach } from '../../lib/public-network.ts'
import { createSampledWarn } from '../../lib/sampled-log.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { SecretVault } from '../secrets/secret-vault.ts'
import {
  type Attempt,
  claimQueues,
  giveBack,
  LEASE_SECONDS,
  nextOfQueue,
  noteDelivered,
  noteFailed,
  type WaitingDelivery,
  type WorkQueue,
} from './delivery-queue-store.ts'
import { bodyOf, messageIdOf, signedHeaders } from './message.ts'
import { moveOutbox } from './outbox.ts'
import { findTarget, type Target } from './webhooks.ts'

/** Concurrent queues, per process and per webhook. */
const IN_ALL = 500
const PER_WEBHOOK = 8
const EVERY_MS = 1_000

/** At least once, in order within a subject. A queue belongs to its last claimer until the lease ends. */
export function createDeliveries(parts: Omit<QueueParts, 'time'> & Partial<QueueParts>) {
  const { db, log, time = monotonicClock } = parts
  const warn = createSampledWarn(log)
  const underWay = new Map<string, number>()
  const running = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let isWanted = false
  let stopped = false

  function begin(queue: WorkQueue): void {
    const { webhookId } = queue
    underWay.set(webhookId, (underWay.get(webhookId) ?? 0) + 1)
    const run = runQueue({ ...parts, time }, queue, () => stopped)
      .catch((err: unknown) =>
        warn('queue', { err }, 'the result of a webhook delivery could not be stored; the delivery is repeated'),
      )
      .finally(() => {
        running.delete(run)
        underWay.set(webhookId, (underWay.get(webhookId) ?? 1) - 1)
        if (underWay.get(webhookId) === 0) underWay.delete(webhookId)
        void look()
      })
    running.add(run)
  }

  async function lookOnce(): Promise<void> {
    while (await moveOutbox(db));
    const room = IN_ALL - running.size
    if (room <= 0) return
    const busy = [...underWay].flatMap(([id, count]) => (count >= PER_WEBHOOK ? [id] : []))
    for (const queue of await claimQueues(db, { busy, limit: room })) begin(queue)
  }

  /** Calls during a look cause one more. */
  function look(): Promise<void> {
    if (stopped) return Promise.resolve()
    isWanted = true
    looking ??= lookWhileWanted().finally(() => {
      looking = undefined
    })
    return looking
  }

  async function lookWhileWanted(): Promise<void> {
    while (isWanted && !stopped) {
      isWanted = false
      await lookOnce().catch((err: unknown) =>
        warn('look', { err }, 'webhook deliveries could not be processed; the service tries again'),
      )
    }
  }

  async function settle(): Promise<void> {
    while (looking || running.size > 0) await Promise.all([looking, ...running])
  }

  return {
    look,
    settle,
    start(): void {
      timer = setInterval(() => void look(), EVERY_MS).unref()
    },
    async stop(): Promise<void> {
      stopped = true
      clearInterval(timer)
      await settle()
    },
  }
}

/** Includes the host lookup. */
const TIME_LIMIT_MS = 10_000
/** Bytes read and characters kept of an answer. */
const ANSWER_BYTES = 16_384
const ANSWER_KEPT = 1_000
const BATCH = 50
/** An attempt must end before the lease. */
const USABLE_LEASE_MS = LEASE_SECONDS * 1_000 - 2 * TIME_LIMIT_MS
/** The receiver is gone for good. */
const GONE = 410

type QueueParts = {
  db: Db
  vault: SecretVault
  reach: Reach
  request(request: HttpRequest): Promise<HttpResponse>
  clock: Clock
  /** Monotonic. */
  time: Clock
  log: WarnLog
}

/** `left`: the queue must not be worked on. */
type Ended = 'delivered' | 'stopped' | 'left'

async function runQueue(parts: QueueParts, queue: WorkQueue, isStopping: () => boolean): Promise<void> {
  const { db, time } = parts
  for (let renewedAt = time.now(); ; renewedAt = time.now()) {
    const batch = await nextOfQueue(db, queue, BATCH)
    const target = batch.length > 0 && (await findTarget(parts, queue.webhookId))
    const ended = target ? await deliverAll(parts, queue, { target, batch, isStopping }, renewedAt) : 'stopped'
    if (ended === 'left') return
    if (ended === 'stopped') break
  }
  await giveBack(db, queue)
}

async function deliverAll(
  parts: QueueParts,
  queue: WorkQueue,
  { target, batch, isStopping }: { target: Target; batch: readonly WaitingDelivery[]; isStopping(): boolean },
  leasedAt: number,
): Promise<Ended> {
  let renewedAt = leasedAt
  for (const delivery of batch) {
    if (isStopping()) return 'stopped'
    if (parts.time.now() - renewedAt >= USABLE_LEASE_MS) return 'left'
    if (!(await deliver(parts, queue, target, delivery))) return 'left'
    renewedAt = parts.time.now()
  }
  return 'delivered'
}

async function deliver(
  parts: QueueParts,
  queue: WorkQueue,
  target: Target,
  delivery: WaitingDelivery,
): Promise<boolean> {
  const { db, log } = parts
  const attempt = await send(parts, target, delivery)
  if (attempt.error === null) return noteDelivered(db, queue, delivery.id, attempt)
  const dead = await noteFailed(db, queue, delivery.id, attempt)
  if (attempt.status === GONE) {
    await db.updateTable('webhook').set({ enabled: false }).where('id', '=', queue.webhookId).execute()
  }
  if (dead > 0) {
    log.warn({ webhook: queue.webhookId, dead }, 'deliveries to a webhook were given up; they can be replayed')
  }
  return false
}

async function send(
  { reach, request, clock }: QueueParts,
  target: Target,
  delivery: WaitingDelivery,
): Promise<Attempt> {
  const body = bodyOf(delivery)
  const message = { id: messageIdOf(delivery.eventId), timestamp: Math.floor(clock.now() / 1_000), body }
  try {
    const url = new URL(target.url)
    reach.check(url)
    const { status, body: answer } = await request({
      url: target.url,
      method: 'POST',
      body,
      timeoutMs: TIME_LIMIT_MS,
      maxBytes: ANSWER_BYTES,
      cuts: true,
      headers: {
        ...signedHeaders(message, target.secrets),
        'content-type': 'application/json',
        'user-agent': 'Coffer',
      },
      lookup: reach.lookup(url.protocol),
    })
    return { status, error: faultOf(status), response: kept(answer) }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    return { status: null, error: error.message, response: null }
  }
}

function faultOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? `answered ${status}: redirects are not followed` : `answered ${status}`
}

/** PostgreSQL text cannot store NUL. */
const kept = (text: string) => text.replaceAll('\u0000', '').slice(0, ANSWER_KEPT).toWellFormed()
