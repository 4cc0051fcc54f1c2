import { Failure } from '@coffer/contract'
import type { BeaconPool } from '../../beacon/beacon-pool.ts'
import { validatorRequest } from '../../beacon/validator-requests.ts'
import type { ValidatorsContext } from './context.ts'
import type { Validator } from './validator-store.ts'

/** Index, or public key in lower case. */
export type ValidatorId = number | string

/** A validator that is not final may get another index. */
export type FindValidator = (id: ValidatorId) => Promise<(Validator & { isFinal: boolean }) | undefined>

/** Rejects with `UpstreamError`. */
export async function readValidator(pool: BeaconPool, id: ValidatorId): ReturnType<FindValidator> {
  for (const state of ['finalized', 'head'] as const) {
    const found = await pool.request(validatorRequest(state, id))
    if (found) return { index: found.index, pubkey: found.pubkey, isFinal: state === 'finalized' }
  }
  return undefined
}

/** The first request starts indexing. Throws NOT_FOUND. */
export async function trackValidator({ store, reach, findValidator, onTracked }: ValidatorsContext, id: ValidatorId) {
  const known = await store.find(id)
  if (known && (known.isTracked || reach === 'all')) return known
  const validator = await findValidator(id)
  if (!validator) throw new Failure('NOT_FOUND', `There is no validator with ${named(id)}`)
  const { isFinal, ...found } = validator
  if (!isFinal) return { ...found, covered: [], coveredOfAll: [] }
  const tracked = await store.track(found)
  onTracked()
  return tracked
}

const named = (id: ValidatorId) => (typeof id === 'number' ? `the index ${id}` : `the public key ${id}`)
