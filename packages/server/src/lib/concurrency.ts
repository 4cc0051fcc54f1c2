export type Gate = <T>(work: () => Promise<T>) => Promise<T>

export function createGate(limit: number): Gate {
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

/** Keeps the order. Takes no further item once the consumer stops. */
export async function* mapAhead<T, R>(
  source: AsyncGenerator<T, void, undefined>,
  ahead: number,
  map: (item: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const running: Promise<R>[] = []
  let arriving = seenLater(source.next())
  let more = true
  const isEarlier = (one: Promise<unknown>, other: Promise<unknown>) =>
    Promise.race([one.then(() => true), other.then(() => false)])
  const isToTake = async (first: Promise<R> | undefined) =>
    more && (!first || (running.length < ahead && (await isEarlier(arriving, first))))
  try {
    for (let [first] = running; more || first; [first] = running) {
      if (await isToTake(first)) {
        const item = await arriving
        more = !item.done
        if (item.done) continue
        running.push(seenLater(map(item.value)))
        arriving = seenLater(source.next())
      } else if (first) {
        void running.shift()
        yield await first
      }
    }
  } finally {
    void seenLater(source.return())
  }
}

export function seenLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}
