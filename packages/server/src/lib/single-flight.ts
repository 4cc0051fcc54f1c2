/** Runs at most one piece of work per key at a time; callers that come while it runs share its outcome. */
export type SingleFlight<T> = {
  run(key: string, work: () => Promise<T>): Promise<T>
  has(key: string): boolean
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const running = new Map<string, Promise<T>>()
  return {
    has: (key) => running.has(key),
    run(key, work) {
      const current = running.get(key)
      if (current) return current
      const started = work().finally(() => running.delete(key))
      running.set(key, started)
      return started
    },
  }
}
