import { Failure } from '@coffer/contract'

export type Deadlines = ReturnType<typeof createDeadlines>
export type Deadline = ReturnType<Deadlines['begin']>

/** A request under way. `at`: when its time is over, of `performance.now()`. */
type Running = { at: number; expire(): void }
type Endless = Pick<AbortController, 'abort'>

/** Bounds how long requests may take. */
export function createDeadlines({ limitMs }: { limitMs: number }) {
  /** The oldest first, as all have the same time: one timer serves them all. */
  const running = new Set<Running>()
  const endless = new Set<Endless>()
  let timer: NodeJS.Timeout | undefined

  function expireDue(): void {
    timer = undefined
    const now = performance.now()
    for (const request of running) {
      if (request.at > now) {
        watch(request.at - now)
        return
      }
      request.expire()
    }
  }

  function watch(ms: number): void {
    if (timer) return
    // It need not keep the process: a request's socket does.
    timer = setTimeout(expireDue, ms).unref()
  }

  /** The time that one request may take, over all that it waits for. */
  function begin() {
    let over: Failure | undefined
    let refuse: ((failure: Failure) => void) | undefined
    const request: Running = {
      at: performance.now() + limitMs,
      expire() {
        running.delete(request)
        over = new Failure('OVERLOADED', 'The request took too long', { retryAfterSeconds: 1 })
        refuse?.(over)
      },
    }
    running.add(request)
    watch(limitMs)

    /**
     * The result of the work, or OVERLOADED when the time is up. The work goes on, and a late result is passed to `late`.
     * A value that is no promise is returned at once; if the time is up, this throws.
     */
    function wait<T>(work: T | Promise<T>, late?: (result: T) => void): T | Promise<T> {
      if (!(work instanceof Promise)) {
        if (over) throw over
        return work
      }
      return new Promise((resolve, reject) => {
        refuse = reject
        if (over) reject(over)
        work.then((result) => (over ? late?.(result) : resolve(result)), reject)
      })
    }

    const controller = new AbortController()
    /** Takes the limit away, for an answer that is as long as it is. Returns what tells that the service waits no longer. */
    function lift(): AbortSignal {
      running.delete(request)
      endless.add(controller)
      return controller.signal
    }

    /** To be called when the request is answered. */
    function end(): void {
      running.delete(request)
      endless.delete(controller)
    }
    return { wait, lift, end }
  }

  /** Runs work under a deadline of its own. */
  async function within<T>(work: () => Promise<T>): Promise<T> {
    const deadline = begin()
    try {
      return await deadline.wait(work())
    } finally {
      deadline.end()
    }
  }

  return {
    begin,
    within,
    /** Expires every request at once, for a shutdown that takes too long. */
    expireAll(): void {
      for (const request of running) request.expire()
      for (const request of endless) request.abort()
    },
  }
}
