import { currentTenant, type Tenant } from './tenant.ts'

/** Ends after `quietMs` without a request. */
export type Gathering = { quietMs: number; mostMs: number }

/** Batches the requests of one event loop turn, or of a gathering. Tenants have separate queues. */
export function createTickBatch<Q, A>(
  work: (asked: readonly Q[]) => Promise<readonly A[]>,
  gathering?: Gathering,
): (what: Q) => Promise<A> {
  type Waiting = { what: Q; resolve: (answer: A) => void; reject: (error: unknown) => void }
  const queues = new Map<Tenant, Waiting[]>()

  async function flush(tenant: Tenant): Promise<void> {
    const together = queues.get(tenant) ?? []
    queues.delete(tenant)
    try {
      const answers = await work(together.map(({ what }) => what))
      for (const [i, { resolve }] of together.entries()) resolve(answers[i] as A)
    } catch (error) {
      for (const { reject } of together) reject(error)
    }
  }

  function flushWhenQuiet(tenant: Tenant, { quietMs, mostMs }: Gathering): void {
    const asked = queues.get(tenant)?.length
    const flushIfQuiet = () => {
      const isQuiet = queues.get(tenant)?.length === asked || mostMs <= quietMs
      if (isQuiet) void flush(tenant)
      else flushWhenQuiet(tenant, { quietMs, mostMs: mostMs - quietMs })
    }
    // A late timer fires before the answers that lead to more requests.
    setTimeout(() => setImmediate(flushIfQuiet), quietMs)
  }

  return (what) =>
    new Promise<A>((resolve, reject) => {
      const tenant = currentTenant()
      const waiting = queues.get(tenant)
      if (waiting) return void waiting.push({ what, resolve, reject })
      queues.set(tenant, [{ what, resolve, reject }])
      setImmediate(() => void (gathering ? flushWhenQuiet(tenant, gathering) : flush(tenant)))
    })
}
