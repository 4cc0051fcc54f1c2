import { monotonicClock } from '../../lib/clock.ts'
import { createSampledWarn } from '../../lib/sampled-log.ts'
import { claimLanes, type Lane } from './lane-store.ts'
import { moveOutbox } from './outbox.ts'
import { type LaneParts, runLane } from './run-lane.ts'

/** Concurrent queues, per process and per webhook. */
const IN_ALL = 500
const PER_WEBHOOK = 8
const EVERY_MS = 1_000

/**
 * At least once, in order within a subject. Any number of processes may deliver: a queue belongs to its last claimer
 * until the lease ends. A slow receiver blocks no other.
 */
export function createDeliveries(parts: Omit<LaneParts, 'time'> & Partial<LaneParts>) {
  const { db, log, time = monotonicClock } = parts
  const warn = createSampledWarn(log)
  const underWay = new Map<string, number>()
  const running = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let isWanted = false
  let stopped = false

  function begin(lane: Lane): void {
    const { webhookId } = lane
    underWay.set(webhookId, (underWay.get(webhookId) ?? 0) + 1)
    const run = runLane({ ...parts, time }, lane, () => stopped)
      .catch((err: unknown) => warn('lane', { err }, 'a delivery to a webhook could not be noted; it is made again'))
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
    for (const lane of await claimLanes(db, { busy, limit: room })) begin(lane)
  }

  /** One look at a time; calls meanwhile cause one more. */
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
        warn('look', { err }, 'webhooks could not be looked after; it is tried again'),
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
