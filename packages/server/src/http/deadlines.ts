import { Failure } from '@coffer/contract'

/** The time that one request may take, over all that it waits for. */
export type Deadline = {
  /**
   * The result of the work, or OVERLOADED once the time is over. The work itself goes on; a result that still comes is given
   * to `late`.
   */
  wait<T>(work: T | Promise<T>, late?: (result: T) => void): Promise<T>
  /** To be called when the request is answered. */
  end(): void
}

/** Bounds how long requests may take. */
export type Deadlines = {
  begin(): Deadline
  /** As one request that waits for this work alone. */
  within<T>(work: () => Promise<T>): Promise<T>
  /** Ends the time of every request at once: what a shutdown does when its patience is over. */
  expireAll(): void
}

export function createDeadlines({ limitMs }: { limitMs: number }): Deadlines {
  const running = new Set<() => void>()

  function begin(): Deadline {
    let over: Failure | undefined
    let refuse: ((failure: Failure) => void) | undefined
    const expire = () => {
      end()
      over = new Failure('OVERLOADED', 'The request took too long', { retryAfterSeconds: 1 })
      refuse?.(over)
    }
    const timer = setTimeout(expire, limitMs)
    const end = () => {
      clearTimeout(timer)
      running.delete(expire)
    }
    running.add(expire)

    function wait<T>(work: T | Promise<T>, late?: (result: T) => void): Promise<T> {
      return new Promise((resolve, reject) => {
        refuse = reject
        if (over) reject(over)
        if (work instanceof Promise) work.then((result) => (over ? late?.(result) : resolve(result)), reject)
        else resolve(work)
      })
    }

    return { wait, end }
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
    expireAll() {
      for (const expire of running) expire()
    },
  }
}
