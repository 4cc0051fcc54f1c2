export type SingleFlight<T> = ReturnType<typeof createSingleFlight<T>>

/** Concurrent callers of a key share one run. */
export function createSingleFlight<T>() {
  const running = new Map<string, Promise<T>>()
  return {
    has: (key: string) => running.has(key),
    run(key: string, work: () => Promise<T>): Promise<T> {
      const current = running.get(key)
      if (current) return current
      const started = work().finally(() => running.delete(key))
      running.set(key, started)
      return started
    },
  }
}
