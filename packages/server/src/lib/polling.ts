const EVERY_MS = 1_000

/** Calls `look` for all listeners once a second, and never without one. A slow `look` is not repeated. */
export function createPolling<L>(
  look: (listeners: ReadonlySet<L>) => Promise<void>,
  onFault: (error: unknown) => void,
): (listener: L) => () => void {
  const listeners = new Set<L>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined

  function lookOnce(): Promise<void> {
    looking ??= look(listeners)
      .catch(onFault)
      .finally(() => {
        looking = undefined
      })
    return looking
  }

  return function listen(listener) {
    listeners.add(listener)
    timer ??= setInterval(() => void lookOnce(), EVERY_MS).unref()
    // At once: work that ends before the first look may not be sent.
    void Promise.resolve(looking).then(lookOnce)
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }
}
