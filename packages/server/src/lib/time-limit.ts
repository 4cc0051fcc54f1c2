/** False: the work continues. A failure counts as ended. */
export async function endedWithin(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs)
  })
  const ended = work.then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([ended, limit])
  } finally {
    clearTimeout(timer)
  }
}

export async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const stop = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Stores nothing after the abort. */
export function unlessAborted<A extends unknown[], R>(signal: AbortSignal, save: (...found: A) => Promise<R>) {
  return async (...found: A): Promise<R> => {
    signal.throwIfAborted()
    return save(...found)
  }
}
