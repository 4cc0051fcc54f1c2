/** In ms. Bounds hangs: a busy machine takes many times as long. */
export const HANGS_MS = 240_000

/** For nodes that never hang. */
export const UNHURRIED = {
  timeoutMs: HANGS_MS,
  scanTimeoutMs: HANGS_MS,
  logTimeoutMs: HANGS_MS,
  totalMs: HANGS_MS,
  backoffMs: 1,
}
