import { AsyncLocalStorage } from 'node:async_hooks'
import type { Gate } from './concurrency.ts'

const acting = new AsyncLocalStorage<string>()
/** The lane of work that no caller waits for, e.g. that of jobs. */
const BACKGROUND = ''

/** Runs `work` on behalf of a party: what it starts waits in fair gates in the party's lane. */
export function onBehalfOf<T>(party: string, work: () => T): T {
  return acting.run(party, work)
}

/**
 * Lets at most `limit` pieces of work run at once. The rest waits in one lane a party (`onBehalfOf`), and lanes take turns:
 * however much one party asks for, the next turn but one is another's.
 */
export function createFairGate(limit: number): Gate {
  let free = limit
  /** In order of turns. */
  const lanes = new Map<string, (() => void)[]>()

  function wait(): Promise<void> {
    const party = acting.getStore() ?? BACKGROUND
    const lane = lanes.get(party) ?? []
    lanes.set(party, lane)
    return new Promise((resolve) => void lane.push(resolve))
  }

  /** The first of the lane whose turn it is; the lane's next turn comes after all others'. */
  function takeNext(): (() => void) | undefined {
    const [turn] = lanes
    if (!turn) return undefined
    const [party, lane] = turn
    lanes.delete(party)
    const next = lane.shift()
    if (lane.length > 0) lanes.set(party, lane)
    return next
  }

  return async (work) => {
    if (free > 0) free -= 1
    else await wait()
    try {
      return await work()
    } finally {
      const next = takeNext()
      if (next) next()
      else free += 1
    }
  }
}
