/** Many small writes as few large ones. See {@link createLane}. */
export type Lane<T, R> = {
  /** Resolves or rejects with what the batch that carried the item did with it. */
  push(item: T): Promise<R>
  /** Resolves when nothing is waiting or under way. */
  drain(): Promise<void>
}

type Waiting<T, R> = { item: T; resolve(result: R): void; reject(reason: unknown): void }

type Options<T, R> = {
  /** Answers one result per item, in order; when it throws, every item of its batch fails with that error. */
  run(batch: readonly T[]): Promise<readonly R[]>
  /** Items in one batch at most; keeps a statement's parameters and its locks bounded. */
  maxBatch: number
}

/**
 * One batch under way at a time; what arrives meanwhile forms the next, in order of arrival. An idle lane sends in the
 * same turn of the event loop, so a lone item waits for nobody, and a busy one shares one commit among all that wait.
 */
export function createLane<T, R>({ run, maxBatch }: Options<T, R>): Lane<T, R> {
  let waiting: Waiting<T, R>[] = []
  let busy = false
  const whenIdle: (() => void)[] = []

  const takeBatch = () => {
    if (waiting.length > maxBatch) return waiting.splice(0, maxBatch)
    const batch = waiting
    waiting = []
    return batch
  }

  const send = async () => {
    await settle(takeBatch(), run)
    if (waiting.length > 0) {
      setImmediate(send)
      return
    }
    busy = false
    for (const resolve of whenIdle.splice(0)) resolve()
  }

  return {
    push(item) {
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        if (busy) return
        busy = true
        setImmediate(send)
      })
    },
    drain: () => (busy ? new Promise((resolve) => whenIdle.push(resolve)) : Promise.resolve()),
  }
}

/** Runs one batch and tells each item its result. Never rejects. */
async function settle<T, R>(batch: readonly Waiting<T, R>[], run: Options<T, R>['run']): Promise<void> {
  try {
    const results = await run(batch.map(({ item }) => item))
    if (results.length !== batch.length) throw new Error('A lane needs one result per item')
    for (const [i, { resolve }] of batch.entries()) resolve(results[i] as R)
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
