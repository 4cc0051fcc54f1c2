import { Failure } from '@coffer/contract'

export type Deadlines = ReturnType<typeof createDeadlines>
export type Deadline = ReturnType<Deadlines['begin']>

type Running = { at: number; expire(): void }

export function createDeadlines({ limitMs }: { limitMs: number }) {
  const running = new Set<Running>()
  const endless = new Set<AbortController>()
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
    timer = setTimeout(expireDue, ms).unref()
  }

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

    /** Rejects with OVERLOADED in time; `late` then receives the result. */
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
    /** For a streamed answer. The signal aborts once the service waits no longer. */
    function lift(): AbortSignal {
      running.delete(request)
      endless.add(controller)
      return controller.signal
    }

    function end(): void {
      running.delete(request)
      endless.delete(controller)
    }
    return { wait, lift, end }
  }

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
    expireAll(): void {
      for (const request of running) request.expire()
      for (const request of endless) request.abort()
    },
  }
}
