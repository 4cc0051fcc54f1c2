import { actingParty } from './fair-gate.ts'

/** A gather ends when nothing more was asked for `quietMs`, and after `mostMs` at the latest. */
export type Gathering = { quietMs: number; mostMs: number }

/**
 * Passes the requests of one event loop turn to `work` together, which answers in the same order. Each caller receives
 * its own answer, or the error with which `work` rejects. With `gathering`, requests of some milliseconds leave together;
 * those of different parties (`onBehalfOf`) do not, because each waits in the lane of its own.
 */
export function createTickBatch<Q, A>(
  work: (asked: readonly Q[]) => Promise<readonly A[]>,
  gathering?: Gathering,
): (what: Q) => Promise<A> {
  type Waiting = { what: Q; resolve: (answer: A) => void; reject: (error: unknown) => void }
  const lanes = new Map<string, Waiting[]>()

  async function flush(party: string): Promise<void> {
    const together = lanes.get(party) ?? []
    lanes.delete(party)
    try {
      const answers = await work(together.map(({ what }) => what))
      for (const [i, { resolve }] of together.entries()) resolve(answers[i] as A)
    } catch (error) {
      for (const { reject } of together) reject(error)
    }
  }

  function flushWhenQuiet(party: string, { quietMs, mostMs }: Gathering): void {
    const asked = lanes.get(party)?.length
    const flushIfQuiet = () => {
      const isQuiet = lanes.get(party)?.length === asked || mostMs <= quietMs
      if (isQuiet) void flush(party)
      else flushWhenQuiet(party, { quietMs, mostMs: mostMs - quietMs })
    }
    // A timer that is late, on a busy machine, comes before the answers that arrived meanwhile and lead to more requests.
    setTimeout(() => setImmediate(flushIfQuiet), quietMs)
  }

  return (what) =>
    new Promise<A>((resolve, reject) => {
      const party = actingParty()
      const waiting = lanes.get(party)
      if (waiting) return void waiting.push({ what, resolve, reject })
      lanes.set(party, [{ what, resolve, reject }])
      // What is asked for in the same turn is waited for before it is counted.
      setImmediate(() => void (gathering ? flushWhenQuiet(party, gathering) : flush(party)))
    })
}
