import { CofferError, ConnectionError } from './coffer-error.ts'

/** Transient: a limit, or an unavailable upstream. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504])
const FIRST_WAIT_MS = 500
/** A longer `Retry-After` is left to the caller. */
const LONGEST_WAIT_MS = 30_000

/**
 * Returns milliseconds: `Retry-After`, else exponential backoff from half a second. Random jitter of up to a half keeps
 * clients from returning at once. Undefined: the failure is not transient. `tries` counts from 1.
 */
export function waitBeforeRetry(error: unknown, tries: number): number | undefined {
  const isPassing = error instanceof ConnectionError || (error instanceof CofferError && PASSING.has(error.status))
  if (!isPassing) return undefined
  const askedFor = error instanceof CofferError ? error.retryAfterSeconds : undefined
  const waitMs = askedFor === undefined ? FIRST_WAIT_MS * 2 ** (tries - 1) * (1 - Math.random() / 2) : askedFor * 1_000
  return waitMs <= LONGEST_WAIT_MS ? waitMs : undefined
}

/** Rejects with the signal's reason once it is aborted. */
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
