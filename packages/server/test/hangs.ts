/** Bounds what hangs, not what is slow, in ms: a busy machine takes many times as long. */
export const HANGS_MS = 240_000
