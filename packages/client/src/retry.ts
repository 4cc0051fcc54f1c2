import { CofferError, ConnectionError } from './coffer-error.ts'

/** What the next try may answer: a limit, or something behind the service that was away. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504])
const FIRST_WAIT_MS = 500
/** A longer `Retry-After` is left to the caller. */
const LONGEST_WAIT_MS = 30_000

/**
 * Milliseconds to wait before the call is sent again: what `Retry-After` says, else exponential backoff from half a
 * second with random jitter of up to a half, so that clients do not come back at once. Undefined: the failure is not
 * transient. `tries`: attempts so far, from 1.
 */
export function waitBeforeRetry(error: unknown, tries: number): number | undefined {
  const isPassing = error instanceof ConnectionError || (error instanceof CofferError && PASSING.has(error.status))
  if (!isPassing) return undefined
  const askedFor = error instanceof CofferError ? error.retryAfterSeconds : undefined
  const waitMs = askedFor === undefined ? FIRST_WAIT_MS * 2 ** (tries - 1) * (1 - Math.random() / 2) : askedFor * 1_000
  return waitMs <= LONGEST_WAIT_MS ? waitMs : undefined
}

/** Rejects with the signal's reason as soon as it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
