import type { HttpResponse } from './http-client.ts'

/** When a node says "slow down" without saying for how long, and the longest that is believed. */
const REST_MS = 2_000
const LONGEST_REST_MS = 60_000

/** For how long a node that says "slow down" is left alone, in ms: by its `Retry-After` in seconds, where it sends one. */
export function retryAfterMs(response: Pick<HttpResponse, 'headers'> | undefined): number {
  const seconds = Number(response?.headers['retry-after'] ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, LONGEST_REST_MS) : REST_MS
}
