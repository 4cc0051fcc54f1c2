import { Failure } from '@coffer/contract'

/** Bounds how long the work of a request may take. */
export type Deadlines = {
  /** The result of the work, or OVERLOADED once the limit has passed; the work itself goes on and its end is ignored. */
  within<T>(work: () => Promise<T>): Promise<T>
  /** Ends every wait at once: what a shutdown does when its patience is over. */
  expireAll(): void
}

export function createDeadlines({ limitMs }: { limitMs: number }): Deadlines {
  const waiting = new Set<() => void>()

  function within<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        waiting.delete(expire)
      }
      const expire = () => {
        end()
        reject(new Failure('OVERLOADED', 'The request took too long', { retryAfterSeconds: 1 }))
      }
      const timer = setTimeout(expire, limitMs)
      waiting.add(expire)
      work().then(resolve, reject).finally(end)
    })
  }

  function expireAll(): void {
    for (const expire of waiting) expire()
  }

  return { within, expireAll }
}
