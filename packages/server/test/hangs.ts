/** Bounds what hangs, not what is slow, in ms: a busy machine takes many times as long. */
export const HANGS_MS = 240_000

/** Limits of requests to nodes in tests whose nodes never hang. */
export const UNHURRIED = {
  timeoutMs: HANGS_MS,
  scanTimeoutMs: HANGS_MS,
  logTimeoutMs: HANGS_MS,
  totalMs: HANGS_MS,
  backoffMs: 1,
}
