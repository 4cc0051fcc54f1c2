import type { HttpResponse } from './http-client.ts'

/** Pause in ms if a node asks to slow down without a duration, and the longest duration that is honoured. */
const REST_MS = 2_000
const LONGEST_REST_MS = 60_000

/** For how long a node that says "slow down" is left alone, in ms: by its `Retry-After` in seconds, where it sends one. */
export function retryAfterMs(response: Pick<HttpResponse, 'headers'> | undefined): number {
  const seconds = Number(response?.headers['retry-after'] ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, LONGEST_REST_MS) : REST_MS
}
