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
 * Runs one batch at a time; items that arrive meanwhile form the next, in order of arrival. An idle lane sends in the
 * same turn of the event loop, so a lone item does not wait. A busy lane shares one commit among all waiting items, and
 * sends them before it answers those of the last batch.
 */
export function createLane<T, R>({ run, maxBatch }: Options<T, R>): Lane<T, R> {
  let waiting: Waiting<T, R>[] = []
  let busy = false
  /** Items that were pushed and have no answer yet. */
  let open = 0
  const whenIdle: (() => void)[] = []

  const takeBatch = () => {
    if (waiting.length > maxBatch) return waiting.splice(0, maxBatch)
    const batch = waiting
    waiting = []
    return batch
  }

  /** Runs one batch; answers how its items are to be answered. Never rejects. */
  const outcomeOf = async (batch: readonly Waiting<T, R>[]): Promise<() => void> => {
    try {
      const results = await run(batch.map(({ item }) => item))
      if (results.length !== batch.length) throw new Error('A lane needs one result per item')
      return () => {
        for (const [i, { resolve }] of batch.entries()) resolve(results[i] as R)
      }
    } catch (error) {
      return () => {
        for (const { reject } of batch) reject(error)
      }
    }
  }

  const send = async () => {
    const batch = takeBatch()
    const answer = await outcomeOf(batch)
    next()
    // Ticks come in order, before what the answers bring about: a statement that asks the pool for its connection in a tick
    // leaves first, and the database works while these answers are written.
    process.nextTick(() => {
      answer()
      open -= batch.length
      if (open === 0) for (const resolve of whenIdle.splice(0)) resolve()
    })
  }

  const next = () => {
    if (waiting.length > 0) void send()
    else busy = false
  }

  return {
    push(item) {
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        open += 1
        if (busy) return
        busy = true
        setImmediate(next)
      })
    },
    drain: () => (open > 0 ? new Promise((resolve) => whenIdle.push(resolve)) : Promise.resolve()),
  }
}
