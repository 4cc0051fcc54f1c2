export type WorkQueue<T, R> = {
  push(item: T): Promise<R>
  drain(): Promise<void>
}

type Waiting<T, R> = { item: T; resolve(result: R): void; reject(reason: unknown): void }

type Options<T, R> = {
  /** In order. An error fails the whole batch. */
  run(batch: readonly T[]): Promise<readonly R[]>
  maxBatch: number
}

/** Items that arrive during a batch form the next, and share one commit. */
export function createWorkQueue<T, R>({ run, maxBatch }: Options<T, R>): WorkQueue<T, R> {
  let waiting: Waiting<T, R>[] = []
  let busy = false
  let open = 0
  const whenIdle: (() => void)[] = []

  const takeBatch = () => {
    if (waiting.length > maxBatch) return waiting.splice(0, maxBatch)
    const batch = waiting
    waiting = []
    return batch
  }

  const outcomeOf = async (batch: readonly Waiting<T, R>[]): Promise<() => void> => {
    try {
      const results = await run(batch.map(({ item }) => item))
      if (results.length !== batch.length) throw new Error('A queue needs one result per item')
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
    // The next statement leaves first, so that the database works while answers are written.
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
