import { Failure } from '@coffer/contract'
import type { FindValidator } from './find-validator.ts'
import type { KnownValidator, ValidatorStore } from './validator-store.ts'

/** A validator as it is asked for: by its index, or by its public key in lower case. */
export type ValidatorId = number | string

export type Tracking = ReturnType<typeof createTracking>

/** Which validators are indexed: all that were ever asked for, or all that there are. */
export function createTracking({
  store,
  findValidator,
  indexesAll,
  onTracked,
}: {
  store: ValidatorStore
  findValidator: FindValidator
  /** Whether validators are indexed without being requested first. */
  indexesAll: boolean
  /** Called when a validator is requested for the first time. */
  onTracked(): void
}) {
  /**
   * Returns a validator with its indexed epochs; the first request starts its indexing. NOT_FOUND if it does not exist.
   */
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
