import type { Timer } from '../../lib/clock.ts'

/** Unlimited until the endpoint asks for fewer requests; then half the rate, which slowly recovers. */
export type Pace = {
  turn(patient: boolean): Promise<void> | undefined
  refused(sentAt: number, restMs: number): void
  answered(): void
  isLimited(): boolean
  isExhausted(): boolean
}

const RATE_WINDOW_MS = 1_000
const LONGEST_INTERVAL_MS = 4_000
const LEAST_INTERVAL_MS = 5
/** A low rate before a refusal proves no limit. */
const LONGEST_FIRST_MS = 60
/** Without a refusal, the interval then shrinks by a fifth. */
const RECOVER_MS = 5_000
/** Longer intervals come from an outage, and each answer halves them. */
const LONGEST_LASTING_MS = 250
const PATIENCE_MS = 75_000

export function createPace(timer: Timer): Pace {
  let intervalMs = 0
  let changedAt = Number.NEGATIVE_INFINITY
  let nextAt = 0
  let restUntil = 0
  let refusedSince: number | undefined
  const sent: number[] = []
  let last = Promise.resolve()

  function note(): undefined {
    const now = timer.now()
    sent.push(now)
    const first = sent.findIndex((time) => now - time < RATE_WINDOW_MS)
    if (first > 0) sent.splice(0, first)
  }

  async function nextMoment(): Promise<void> {
    const now = timer.now()
    // Requests whose callers timed out in an outage must not delay later ones.
    const latest = intervalMs > LONGEST_LASTING_MS ? now + LONGEST_INTERVAL_MS : Number.POSITIVE_INFINITY
    const at = Math.min(Math.max(now, nextAt), latest)
    nextAt = at + intervalMs
    if (at > now) await timer.wait(at - now)
  }

  async function afterRest(): Promise<void> {
    do {
      const restMs = restUntil - timer.now()
      if (restMs > 0) await timer.wait(restMs)
      await nextMoment()
    } while (timer.now() < restUntil)
  }

  return {
    turn(patient) {
      const isFree = intervalMs === 0 && (!patient || timer.now() >= restUntil)
      if (isFree) return note()
      if (patient) last = last.then(afterRest)
      return (patient ? last : nextMoment()).then(note)
    },
    refused(sentAt, restMs) {
      const now = timer.now()
      restUntil = Math.max(restUntil, now + restMs)
      refusedSince ??= now
      // A request sent before the last change says nothing about the interval since.
      if (sentAt < changedAt) return
      const first = Math.min(LONGEST_FIRST_MS, (2 * RATE_WINDOW_MS) / Math.max(1, sent.length))
      intervalMs = Math.min(LONGEST_INTERVAL_MS, Math.max(intervalMs * 2, first))
      changedAt = now
    },
    answered() {
      refusedSince = undefined
      const now = timer.now()
      if (intervalMs > LONGEST_LASTING_MS) intervalMs /= 2
      if (intervalMs === 0 || now - changedAt < RECOVER_MS) return
      intervalMs = intervalMs * 0.8 < LEAST_INTERVAL_MS ? 0 : intervalMs * 0.8
      changedAt = now
    },
    isLimited: () => intervalMs > 0 || timer.now() < restUntil,
    isExhausted: () => refusedSince !== undefined && timer.now() - refusedSince > PATIENCE_MS,
  }
}
