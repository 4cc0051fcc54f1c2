/** Wall-clock time, injected so that tests decide what time it is. */
export type Clock = { now(): number }

export const systemClock: Clock = { now: () => Date.now() }

/** Milliseconds since some moment, for durations: nobody sets it back. */
export const monotonicClock: Clock = { now: () => performance.now() }
