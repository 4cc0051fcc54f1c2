import type { BeaconPool } from '../../../beacon/beacon-pool.ts'
import { validatorsRequest } from '../../../beacon/validator-requests.ts'
import type { ValidatorStore } from '../validator-store.ts'

/** Validators that are asked for in one request: some 4 MB of answer. */
const PAGE = 10_000

export type Registry = ReturnType<typeof createRegistry>

/** Tracks every validator that is final, without anybody asking for it. */
export function createRegistry({ pool, store }: { pool: BeaconPool; store: Pick<ValidatorStore, 'trackAll'> }) {
  /** The registry only grows, at its end. */
  let next = 0

  async function trackNew(): Promise<void> {
    for (;;) {
      const page = Array.from({ length: PAGE }, (_, i) => next + i)
      const found = await pool.request(validatorsRequest('finalized', page))
      await store.trackAll(found)
      // A node that is behind has fewer than another one had.
      next = found.reduce((after, { index }) => Math.max(after, index + 1), next)
      if (found.length < PAGE) return
    }
  }

  return { trackNew }
}
