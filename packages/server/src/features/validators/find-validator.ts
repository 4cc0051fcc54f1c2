import type { BeaconPool } from '../../beacon/beacon-pool.ts'
import { validatorRequest } from '../../beacon/validator-requests.ts'
import type { Validator } from './validator-store.ts'

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
