import type { BeaconSpec } from '../../../beacon/network-requests.ts'
import type { ValidatorLife } from '../../../beacon/validator-requests.ts'
import type { EpochRange } from '../../../domain/beacon-time.ts'

/** `validator`: its state at the end of `toEpoch`; undefined if it is not in the registry. */
export function busyEpochs(
  validator: ValidatorLife | undefined,
  toEpoch: number,
  { epochsPerSyncCommitteePeriod }: Pick<BeaconSpec, 'epochsPerSyncCommitteePeriod'>,
): EpochRange | undefined {
  const { activationEpoch = null, exitEpoch = null, withdrawableEpoch = null } = validator ?? {}
  if (activationEpoch === null || activationEpoch > toEpoch) return undefined
  if (exitEpoch === null || withdrawableEpoch === null) return { fromEpoch: activationEpoch, toEpoch }
  // Slashed validators are penalized until they can withdraw. Sync committee membership lasts up to two periods.
  const idleFrom = Math.max(withdrawableEpoch, exitEpoch + 2 * epochsPerSyncCommitteePeriod)
  return { fromEpoch: activationEpoch, toEpoch: Math.min(toEpoch, idleFrom - 1) }
}
