import type { Clock } from './clock.ts'

/** Keeps a failing endpoint out of the way: closed, open for a while, then one probe decides. */
export type CircuitBreaker = {
  /** Whether a call may be sent now. */
  admits(): boolean
  /** Whether a call failed a moment ago, whatever came of others. */
  failedLately(): boolean
  /** Settles with the outcome of the one call that was let through, while that is awaited: whoever comes meanwhile may wait too. */
  probe(): Promise<void> | undefined
  /** Says that a call leaves; an open breaker whose time is up lets only this one through. */
  begin(): void
  succeed(): void
  fail(): void
  /** Sends nothing for so long, whatever came before (a node asked for it). */
  rest(ms: number): void
}

const FAILURES_TO_OPEN = 5
const FAILURE_WINDOW_MS = 10_000
/** A failure younger than this is a reason to begin elsewhere. */
const LATELY_MS = 2_000
const FIRST_OPEN_MS = 5_000
const LONGEST_OPEN_MS = 60_000
/** A probe that never came back stops counting as one. */
const PROBE_MS = 15_000

export function createCircuitBreaker(clock: Clock): CircuitBreaker {
  let failures: number[] = []
  let failedAt = Number.NEGATIVE_INFINITY
  let openMs = 0
  let closedAgainAt = 0
  let probeUntil = 0
  let probe: PromiseWithResolvers<void> | undefined
  const endProbe = () => {
    probeUntil = 0
    probe?.resolve()
    probe = undefined
  }
  return {
    admits: () => clock.now() >= closedAgainAt && clock.now() >= probeUntil,
    failedLately: () => clock.now() - failedAt < LATELY_MS,
    probe: () => (clock.now() < probeUntil ? probe?.promise : undefined),
    begin() {
      if (openMs === 0) return
      probeUntil = clock.now() + PROBE_MS
      probe ??= Promise.withResolvers()
    },
    succeed() {
      failures = []
      openMs = 0
      closedAgainAt = 0
      endProbe()
    },
    fail() {
      const now = clock.now()
      failedAt = now
      failures = [...failures.filter((at) => now - at < FAILURE_WINDOW_MS), now]
      if (openMs > 0 || failures.length >= FAILURES_TO_OPEN) {
        openMs = Math.min(openMs === 0 ? FIRST_OPEN_MS : openMs * 2, LONGEST_OPEN_MS)
        closedAgainAt = now + openMs
      }
      endProbe()
    },
    rest(ms) {
      closedAgainAt = Math.max(closedAgainAt, clock.now() + ms)
    },
  }
}
