import { actingTenant } from './fair-gate.ts'

/** Ends after `quietMs` without a request. */
export type Gathering = { quietMs: number; mostMs: number }

/** Batches the requests of one event loop turn, or of a gathering. Tenants (`onBehalfOf`) wait in separate queues. */
export function createTickBatch<Q, A>(
  work: (asked: readonly Q[]) => Promise<readonly A[]>,
  gathering?: Gathering,
): (what: Q) => Promise<A> {
  type Waiting = { what: Q; resolve: (answer: A) => void; reject: (error: unknown) => void }
  const lanes = new Map<string, Waiting[]>()

  async function flush(tenant: string): Promise<void> {
    const together = lanes.get(tenant) ?? []
    lanes.delete(tenant)
    try {
      const answers = await work(together.map(({ what }) => what))
      for (const [i, { resolve }] of together.entries()) resolve(answers[i] as A)
    } catch (error) {
      for (const { reject } of together) reject(error)
    }
  }

  function flushWhenQuiet(tenant: string, { quietMs, mostMs }: Gathering): void {
    const asked = lanes.get(tenant)?.length
    const flushIfQuiet = () => {
      const isQuiet = lanes.get(tenant)?.length === asked || mostMs <= quietMs
      if (isQuiet) void flush(tenant)
      else flushWhenQuiet(tenant, { quietMs, mostMs: mostMs - quietMs })
    }
    // A late timer fires before the answers that lead to more requests.
    setTimeout(() => setImmediate(flushIfQuiet), quietMs)
  }

  return (what) =>
    new Promise<A>((resolve, reject) => {
      const tenant = actingTenant()
      const waiting = lanes.get(tenant)
      if (waiting) return void waiting.push({ what, resolve, reject })
      lanes.set(tenant, [{ what, resolve, reject }])
      setImmediate(() => void (gathering ? flushWhenQuiet(tenant, gathering) : flush(tenant)))
    })
}
