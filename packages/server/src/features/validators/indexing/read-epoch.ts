import type { BeaconSpec } from '../../../beacon/network-requests.ts'
import type { ValidatorLife } from '../../../beacon/validator-requests.ts'
import type { EpochRange } from '../../../domain/beacon-time.ts'
import type { ValidatorEpoch } from '../../../domain/validator-epoch.ts'
import { NO_OUTCOME } from '../registry/outcome-chunk.ts'
import { isActive, readAttestations } from './attestations.ts'
import type { EpochReads } from './epoch-reads.ts'
import { type ReadIncome, readProposals } from './proposals.ts'
import { readSlashings } from './slashings.ts'
import { readSyncDuties } from './sync-committee.ts'

type Parts = { epoch: number; validators: readonly number[]; spec: BeaconSpec; readIncome: ReadIncome }

/**
 * Reads all from one node that has the epoch and the two after it final. Inactive validators have a row only if they
 * could still earn or lose something.
 */
export async function readEpoch(reads: EpochReads, parts: Parts): Promise<ValidatorEpoch[]> {
  const { epoch, validators } = parts
  const [atEnd, judged] = await Promise.all([
    reads.validators(epoch, validators),
    reads.validators(epoch + 1, validators),
  ])
  return reduceEpoch(reads, { ...parts, atEnd, judged })
}

/** `judged`: the validators at the end of the next epoch. */
export async function reduceEpoch(
  reads: EpochReads,
  {
    epoch,
    validators,
    spec,
    readIncome,
    atEnd,
    judged,
  }: Parts & { atEnd: ReadonlyMap<number, ValidatorLife>; judged: ReadonlyMap<number, ValidatorLife> },
): Promise<ValidatorEpoch[]> {
  const [attestations, sync, proposals, slashings] = await Promise.all([
    readAttestations(reads, epoch, judged, spec.slotsPerEpoch),
    readSyncDuties(reads, epoch, validators, spec),
    readProposals(reads, epoch, validators, readIncome),
    readSlashings(reads, epoch, atEnd, spec),
  ])
  const isConcerned = (validator: ValidatorLife) =>
    isActive(validator, epoch) || [attestations, sync, proposals, slashings].some((of) => of.has(validator.index))
  return [...atEnd.values()].filter(isConcerned).map(({ index, effectiveBalanceGwei }) => {
    const duty = sync.get(index)
    return {
      ...NO_OUTCOME,
      validatorIndex: index,
      epoch,
      effectiveBalanceGwei,
      ...attestations.get(index),
      ...proposals.get(index),
      syncGwei: duty?.earnedGwei ?? 0n,
      syncPotentialGwei: duty?.potentialGwei ?? 0n,
      syncParticipations: duty?.participations ?? 0,
      syncMissed: duty?.missed ?? 0,
      slashingGwei: slashings.get(index) ?? 0n,
    }
  })
}

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
