import { pagesOf } from './pages.ts'

/**
 * A piece of work begins `leastMs` after the first request for it, or `mostMs` while another piece is under way, of at most
 * `size` requests.
 */
type Terms = { leastMs: number; mostMs: number; size: number }

/**
 * Passes requests that come at about the same time to `work` together, which answers in the same order. Where `work`
 * rejects for several, it is done for each alone, so that one request's failure is not that of the others.
 */
export function createGather<Q, A>(
  { leastMs, mostMs, size }: Terms,
  work: (asked: readonly Q[]) => Promise<readonly A[]>,
): (what: Q) => Promise<A> {
  type Waiting = { what: Q; resolve: (answer: A) => void; reject: (error: unknown) => void }
  let waiting: Waiting[] = []
  let timer: NodeJS.Timeout | undefined
  /** The requests wait for work that is under way. */
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
