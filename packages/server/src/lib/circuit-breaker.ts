import type { Clock } from './clock.ts'

/** Stamp of a call: how often the breaker had opened when the call was sent, one less if sent while it was open. */
export type Departure = number

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>

const FAILURES_TO_OPEN = 5
const FAILURE_WINDOW_MS = 10_000
/** A failure younger than this is a reason to begin elsewhere. */
const LATELY_MS = 2_000
const FIRST_OPEN_MS = 5_000
const LONGEST_OPEN_MS = 60_000
/** A probe that never came back stops counting as one. */
const PROBE_MS = 15_000

/** Keeps a failing endpoint out of the way: closed, open for a while, then one probe decides. */
export function createCircuitBreaker(clock: Clock) {
  let failures: number[] = []
  let failedAt = Number.NEGATIVE_INFINITY
  let openMs = 0
  let openings = 0
  let closedAgainAt = 0
  let probeUntil = 0
  let pausedUntil = 0
  let probe: PromiseWithResolvers<void> | undefined
  const endProbe = () => {
    probeUntil = 0
    probe?.resolve()
    probe = undefined
  }
  const succeed = () => {
    failures = []
    openMs = 0
    closedAgainAt = 0
    endProbe()
  }
  return {
    /** Whether a call may be sent now. */
    admits: () => clock.now() >= Math.max(closedAgainAt, probeUntil, pausedUntil),
    /** Whether a call failed or was refused in the last 2 s, even if other calls succeeded. */
    failedLately: () => clock.now() - failedAt < LATELY_MS,
    /** Resolves when the probe under way ends, so that other callers can wait for it; undefined without a probe. */
    probe: (): Promise<void> | undefined => (clock.now() < probeUntil ? probe?.promise : undefined),
    /**
     * Records that a call is sent and returns its stamp for `fail`. After the open time this call is the probe: no other
     * is admitted.
     */
    begin(): Departure {
      if (openMs === 0) return openings
      if (clock.now() < closedAgainAt) return openings - 1
      probeUntil = clock.now() + PROBE_MS
      probe ??= Promise.withResolvers()
      return openings
    },
    succeed,
    /** Records a refusal without a reason: it does not open the breaker, but for 2 s other endpoints are preferred. */
    refuse(): void {
      failedAt = clock.now()
      succeed()
    },
    /**
     * Counts towards opening, except for a call sent before the breaker closed again and for a failure while it is open.
     */
    fail(departure: Departure): void {
      const now = clock.now()
      if (departure < openings) return
      failedAt = now
      if (openMs > 0 && now < closedAgainAt) return
      failures = [...failures.filter((at) => now - at < FAILURE_WINDOW_MS), now]
      if (openMs > 0 || failures.length >= FAILURES_TO_OPEN) {
        openings += 1
        openMs = Math.min(openMs === 0 ? FIRST_OPEN_MS : openMs * 2, LONGEST_OPEN_MS)
        closedAgainAt = now + openMs
      }
      endProbe()
    },
    /** How often it has opened. */
    openings: () => openings,
    /** As `rest`, for a node that works but asks for fewer requests: it is used again as soon as the pause ends. */
    pause(ms: number): void {
      pausedUntil = Math.max(pausedUntil, clock.now() + ms)
    },
    /** For how many ms it is paused. */
    pausedMs: () => Math.max(0, pausedUntil - clock.now()),
    /** Admits no call for `ms`, unless a call sent before succeeds meanwhile. */
    rest(ms: number): void {
      closedAgainAt = Math.max(closedAgainAt, clock.now() + ms)
    },
  }
}
