/** Lets at most `limit` pieces of work run at once; the rest wait in order of arrival. */
export function createGate(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = limit
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}

/** The same items; the next one is under way while one is looked at. Ends its source when it is left early. */
export async function* oneAhead<T>(source: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined> {
  let next = source.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done) return
      next = source.next()
      // It is seen when it is awaited; left early it is of no interest.
      next.catch(() => undefined)
      yield value
    }
  } finally {
    await source.return()
  }
}
