/** Wall-clock time, injected so that tests decide what time it is. */
export type Clock = { now(): number }

export const systemClock: Clock = { now: () => Date.now() }

/** Monotonic milliseconds, for durations: not affected by changes of the system clock. */
export const monotonicClock: Clock = { now: () => performance.now() }
