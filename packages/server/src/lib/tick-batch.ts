/**
 * Passes the requests of one event loop turn to `work` together, which answers in the same order. Each caller receives
 * its own answer, or the error with which `work` rejects.
 */
export function createTickBatch<Q, A>(work: (asked: readonly Q[]) => Promise<readonly A[]>): (what: Q) => Promise<A> {
  type Waiting = { what: Q; resolve: (answer: A) => void; reject: (error: unknown) => void }
  let waiting: Waiting[] = []

  async function flush(): Promise<void> {
    const together = waiting
    waiting = []
    try {
      const answers = await work(together.map(({ what }) => what))
      for (const [i, { resolve }] of together.entries()) resolve(answers[i] as A)
    } catch (error) {
      for (const { reject } of together) reject(error)
    }
  }

  return (what) =>
    new Promise<A>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ what, resolve, reject })
    })
}
