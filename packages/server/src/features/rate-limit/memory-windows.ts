/** Requests counted in a window, and how many milliseconds it goes on. */
export type Count = { consumed: number; msBeforeNext: number }

type Window = { consumed: number; endsAt: number }

/**
 * Fixed windows of `windowMs` in this process's memory, each from its subject's first request. `add` is synchronous, as
 * a promise would be most of its cost.
 */
export function createMemoryWindows(windowMs: number) {
  const windows = new Map<string, Window>()
  let sweepAt = 0

  /** Those that are over are forgotten once in a window's length. */
  function sweep(now: number): void {
    sweepAt = now + windowMs
    for (const [subject, { endsAt }] of windows) if (endsAt <= now) windows.delete(subject)
  }

  function add(subject: string, requests: number): Count {
    const now = Date.now()
    if (now >= sweepAt) sweep(now)
    let window = windows.get(subject)
    if (!window || window.endsAt <= now) {
      window = { consumed: 0, endsAt: now + windowMs }
      windows.set(subject, window)
    }
    window.consumed += requests
    return { consumed: window.consumed, msBeforeNext: window.endsAt - now }
  }

  return { add }
}
