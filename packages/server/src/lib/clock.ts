import { setTimeout as wait } from 'node:timers/promises'

/** Wall-clock time, injected so that tests decide what time it is. */
export type Clock = { now(): number }

export const systemClock: Clock = { now: () => Date.now() }

/** Monotonic milliseconds, for durations: not affected by changes of the system clock. */
export const monotonicClock: Clock = { now: () => performance.now() }

/** A monotonic clock with waits, in ms. Tests inject one that skips its waits. */
export type Timer = Clock & { wait(ms: number): Promise<void> }

export const monotonicTimer: Timer = { ...monotonicClock, wait: (ms) => wait(ms) }
