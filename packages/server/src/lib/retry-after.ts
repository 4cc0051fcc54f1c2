import type { HttpResponse } from './http-client.ts'

/** In ms: default and maximum. */
const REST_MS = 2_000
const LONGEST_REST_MS = 60_000

/** `Retry-After` is in seconds. */
export function retryAfterMs(response: Pick<HttpResponse, 'headers'> | undefined): number {
  const seconds = Number(response?.headers['retry-after'] ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, LONGEST_REST_MS) : REST_MS
}
