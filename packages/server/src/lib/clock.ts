import { setTimeout as wait } from 'node:timers/promises'

/** In ms. */
export type Clock = { now(): number }

export const systemClock: Clock = { now: () => Date.now() }

/** Unaffected by changes of the system clock. */
export const monotonicClock: Clock = { now: () => performance.now() }

export type Timer = Clock & { wait(ms: number): Promise<void> }

export const monotonicTimer: Timer = { ...monotonicClock, wait: (ms) => wait(ms) }
