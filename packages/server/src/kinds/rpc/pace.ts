import type { Timer } from '../../lib/clock.ts'

/**
 * Limits how often an endpoint is asked. There is no limit until it asks for fewer requests. They then leave one by
 * one, at half the previous rate, which slowly recovers while the endpoint answers.
 */
export type Pace = {
  /**
   * Resolves when the next request may leave; undefined if at once. `patient` waits for the end of a requested rest.
   */
  turn(patient: boolean): Promise<void> | undefined
  /** The endpoint refused a request sent at `sentAt` (`timer.now()`) and asked for a rest of `restMs`. */
  refused(sentAt: number, restMs: number): void
  answered(): void
  /** Whether requests are spaced or held back, because the endpoint asked for fewer. */
  isLimited(): boolean
  /** Whether the endpoint has only refused for so long that waiting does not help. */
  isExhausted(): boolean
}

const RATE_WINDOW_MS = 1_000
const LONGEST_INTERVAL_MS = 4_000
/** Below this interval, requests are not spaced any more. */
const LEAST_INTERVAL_MS = 5
/** Upper bound of the first interval: a low rate before the refusal does not show what the endpoint accepts. */
const LONGEST_FIRST_MS = 60
/** After so long without a refusal the interval shrinks by a fifth. */
const RECOVER_MS = 5_000
/** No endpoint needs a longer interval for long. Longer ones come from an outage, and each answer halves them. */
const LONGEST_LASTING_MS = 250
const PATIENCE_MS = 75_000

export function createPace(timer: Timer): Pace {
  let intervalMs = 0
  let changedAt = Number.NEGATIVE_INFINITY
  let nextAt = 0
  let restUntil = 0
  let refusedSince: number | undefined
  /** When requests left within the window, in order. */
  const sent: number[] = []
  /** Patient requests leave in order of arrival; others take the next free moment before them. */
  let last = Promise.resolve()

  function note(): void {
    const now = timer.now()
    sent.push(now)
    const first = sent.findIndex((time) => now - time < RATE_WINDOW_MS)
    if (first > 0) sent.splice(0, first)
  }

  async function nextMoment(): Promise<void> {
    const now = timer.now()
    // In an outage the queue is cut off: requests whose callers have timed out must not delay those after recovery.
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

  function patientTurn(): Promise<void> {
    last = last.then(afterRest)
    return last
  }

  return {
    turn(patient) {
      const isFree = intervalMs === 0 && (!patient || timer.now() >= restUntil)
      if (!isFree) return (patient ? patientTurn() : nextMoment()).then(note)
      note()
      return undefined
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
