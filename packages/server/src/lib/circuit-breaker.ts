import type { Clock } from './clock.ts'

/** Openings before the call, one less if sent while open. */
export type Departure = number

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>

const FAILURES_TO_OPEN = 5
const FAILURE_WINDOW_MS = 10_000
const LATELY_MS = 2_000
const FIRST_OPEN_MS = 5_000
const LONGEST_OPEN_MS = 60_000
const PROBE_MS = 15_000

/** After the open time one probe decides. */
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
    admits: () => clock.now() >= Math.max(closedAgainAt, probeUntil, pausedUntil),
    failedLately: () => clock.now() - failedAt < LATELY_MS,
    probe: (): Promise<void> | undefined => (clock.now() < probeUntil ? probe?.promise : undefined),
    /** After the open time this call is the only probe. */
    begin(): Departure {
      if (openMs === 0) return openings
      if (clock.now() < closedAgainAt) return openings - 1
      probeUntil = clock.now() + PROBE_MS
      probe ??= Promise.withResolvers()
      return openings
    },
    succeed,
    /** Does not open the breaker, but prefers others for 2 s. */
    refuse(): void {
      failedAt = clock.now()
      succeed()
    },
    /** Ignores calls from before the breaker closed again. */
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
    openings: () => openings,
    pause(ms: number): void {
      pausedUntil = Math.max(pausedUntil, clock.now() + ms)
    },
    pausedMs: () => Math.max(0, pausedUntil - clock.now()),
    rest(ms: number): void {
      closedAgainAt = Math.max(closedAgainAt, clock.now() + ms)
    },
  }
}
