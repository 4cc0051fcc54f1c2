import type { BeaconPool } from '../../../beacon/beacon-pool.ts'
import { registryPages } from '../../../beacon/validator-requests.ts'
import type { ValidatorStore } from '../validator-store.ts'

export type Registry = ReturnType<typeof createRegistry>

export function createRegistry({
  pool,
  store,
}: {
  pool: BeaconPool
  store: Pick<ValidatorStore, 'register' | 'firstUnknown'>
}) {
  /** The registry only grows, at its end. */
  let next: number | undefined

  async function registerNew(): Promise<void> {
    next ??= await store.firstUnknown()
    for await (const found of registryPages(pool.request, 'finalized', next)) {
      await store.register(found)
      // A lagging node may have fewer validators than were read before.
      next = found.reduce((after, { index }) => Math.max(after, index + 1), next)
    }
  }

  return { registerNew }
}
