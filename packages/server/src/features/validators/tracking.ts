import { Failure } from '@coffer/contract'
import type { BeaconPool } from '../../beacon/beacon-pool.ts'
import { validatorRequest } from '../../beacon/validator-requests.ts'
import type { KnownValidator, Validator, ValidatorStore } from './validator-store.ts'

/** Index, or public key in lower case. */
export type ValidatorId = number | string

export type Tracking = ReturnType<typeof createTracking>

export function createTracking({
  store,
  findValidator,
  indexesAll,
  onTracked,
}: {
  store: ValidatorStore
  findValidator: FindValidator
  indexesAll: boolean
  onTracked(): void
}) {
  /** The first request starts indexing. NOT_FOUND for an unknown validator. */
  async function open(id: ValidatorId): Promise<Omit<KnownValidator, 'isTracked'>> {
    const known = await store.find(id)
    if (known && (known.isTracked || indexesAll)) return known
    const validator = await findValidator(id)
    if (!validator) throw new Failure('NOT_FOUND', `There is no validator with ${named(id)}`)
    const { isFinal, ...found } = validator
    if (!isFinal) return { ...found, covered: [], coveredOfAll: [] }
    const tracked = await store.track(found)
    onTracked()
    return tracked
  }

  return { open }
}

const named = (id: ValidatorId) => (typeof id === 'number' ? `the index ${id}` : `the public key ${id}`)

/** `by`: index, or public key in lower case. A validator that is not final may get another index. */
export type FindValidator = (by: number | string) => Promise<(Validator & { isFinal: boolean }) | undefined>

/** Rejects with `UpstreamError`. */
export function createFindValidator(pool: BeaconPool): FindValidator {
  return async (by) => {
    for (const state of ['finalized', 'head'] as const) {
      const found = await pool.request(validatorRequest(state, by))
      if (found) return { index: found.index, pubkey: found.pubkey, isFinal: state === 'finalized' }
    }
    return undefined
  }
}
