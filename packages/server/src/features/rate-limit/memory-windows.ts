/** Requests in a window. */
export type Count = { consumed: number; msBeforeNext: number }

type Window = { consumed: number; endsAt: number }

/** Windows begin with a subject's first request. `add` is synchronous: a promise would be most of its cost. */
export function createMemoryWindows(windowMs: number) {
  const windows = new Map<string, Window>()
  let sweepAt = 0

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
