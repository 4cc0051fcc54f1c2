import { pagesOf } from './pages.ts'

/** `leastMs` after the first request; `mostMs` while other work is running. */
type Terms = { leastMs: number; mostMs: number; size: number }

/** If `work` rejects, each request runs alone: one failure must not affect others. */
export function createGather<Q, A>(
  { leastMs, mostMs, size }: Terms,
  work: (asked: readonly Q[]) => Promise<readonly A[]>,
): (what: Q) => Promise<A> {
  type Waiting = { what: Q; resolve: (answer: A) => void; reject: (error: unknown) => void }
  let waiting: Waiting[] = []
  let timer: NodeJS.Timeout | undefined
  let isHeld = false
  let underWay = 0

  async function answer(together: readonly Waiting[]): Promise<void> {
    try {
      const answers = await work(together.map(({ what }) => what))
      for (const [i, { resolve }] of together.entries()) resolve(answers[i] as A)
    } catch (error) {
      if (together.length === 1) together[0]?.reject(error)
      else await Promise.all(together.map((one) => answer([one])))
    }
  }

  async function begin(page: readonly Waiting[]): Promise<void> {
    underWay += 1
    await answer(page)
    underWay -= 1
    if (isHeld && underWay === 0) flush()
  }

  function flush(): void {
    clearTimeout(timer)
    isHeld = false
    const gathered = waiting
    waiting = []
    for (const page of pagesOf(gathered, size)) void begin(page)
  }

  function flushUnlessHeld(): void {
    isHeld = underWay > 0
    if (isHeld) timer = setTimeout(flush, mostMs - leastMs)
    else flush()
  }

  return (what) =>
    new Promise<A>((resolve, reject) => {
      if (waiting.length === 0) timer = setTimeout(flushUnlessHeld, leastMs)
      waiting.push({ what, resolve, reject })
    })
}
