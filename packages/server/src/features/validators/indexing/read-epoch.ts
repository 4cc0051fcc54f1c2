import type { BeaconSpec } from '../../../beacon/network-requests.ts'
import type { ValidatorLife } from '../../../beacon/validator-requests.ts'
import type { EpochRange } from '../../../domain/beacon-time.ts'
import type { ValidatorEpoch } from '../../../domain/validator-epoch.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { NO_OUTCOME, type Outcome, sumOutcomes } from '../registry/outcome-chunk.ts'
import { chunksOf, EPOCH_CHUNK, type RegistryEpoch } from '../registry/registry-store.ts'
import type { IndexedEpochs, ValidatorSet } from '../validator-store.ts'
import { isActive, readAttestations } from './attestations.ts'
import type { EpochReads } from './epoch-reads.ts'
import { type ReadIncome, readProposals } from './proposals.ts'
import { readSlashings } from './slashings.ts'
import { readSyncDuties } from './sync-committee.ts'

const PIECE = 32 * EPOCH_CHUNK

type Parts = { epoch: number; spec: BeaconSpec; readIncome: ReadIncome }

/** Reads all from one node that has the epoch and the two after it final. */
export async function readEpoch(
  reads: EpochReads,
  validators: ValidatorSet,
  parts: Parts,
): Promise<IndexedEpochs | RegistryEpoch> {
  const { epoch } = parts
  if (validators === 'all') return { epoch, chunks: await readChunks(reads, parts) }
  const [atEnd, judged] = await Promise.all([
    reads.validators(epoch, validators),
    reads.validators(epoch + 1, validators),
  ])
  const rows = await reduceEpoch(reads, { validators, atEnd, judged }, parts)
  return { fromEpoch: epoch, toEpoch: epoch, validators, rows }
}

/** Packs piece by piece: unpacked outcomes take some hundred megabytes. */
async function readChunks(reads: EpochReads, parts: Parts): Promise<(Buffer | null)[]> {
  const { epoch } = parts
  const [atEnd, judged] = [await reads.registry(epoch), await reads.registry(epoch + 1)]
  const { total } = await reads.attestationRewards(epoch, [])
  for (const index of total.keys()) {
    if (index >= judged.size) throw new UpstreamError('invalid', `validator ${index} has rewards and is in no registry`)
  }
  const chunks: (Buffer | null)[] = []
  for (let from = 0; from < atEnd.size; from += PIECE) {
    const to = Math.min(from + PIECE, atEnd.size)
    const validators = Array.from({ length: to - from }, (_, i) => from + i)
    const piece = { validators, atEnd: atEnd.slice(from, to), judged: judged.slice(from, to) }
    const outcomes = validators.map((): Outcome | null => null)
    for (const { validatorIndex, epoch: _, ...outcome } of await reduceEpoch(reads, piece, parts)) {
      outcomes[validatorIndex - from] = outcome
    }
    chunks.push(...chunksOf(outcomes, EPOCH_CHUNK))
  }
  return chunks
}

/** `judged`: at the end of the next epoch. */
type Piece = {
  validators: readonly number[]
  atEnd: ReadonlyMap<number, ValidatorLife>
  judged: ReadonlyMap<number, ValidatorLife>
}

/** Inactive validators have a row only if they could still earn or lose something. */
async function reduceEpoch(reads: EpochReads, piece: Piece, { epoch, spec, readIncome }: Parts) {
  const { validators, atEnd, judged } = piece
  const parts = await Promise.all([
    readAttestations(reads, epoch, judged, spec.slotsPerEpoch),
    readSyncDuties(reads, epoch, validators, spec),
    readProposals(reads, epoch, validators, readIncome),
    readSlashings(reads, epoch, atEnd, spec),
  ])
  const partsOf = Map.groupBy(parts.flat(), ([index]) => index)
  const isConcerned = (validator: ValidatorLife) => isActive(validator, epoch) || partsOf.has(validator.index)
  return [...atEnd.values()].filter(isConcerned).map(({ index, effectiveBalanceGwei }): ValidatorEpoch => {
    const ofIt = (partsOf.get(index) ?? []).map(([, part]) => part)
    const outcome = ofIt.length === 1 ? { ...NO_OUTCOME, ...ofIt[0] } : sumOutcomes(ofIt, undefined)
    return { ...outcome, validatorIndex: index, epoch, effectiveBalanceGwei }
  })
}

/** `validator`: at the end of `toEpoch`; undefined: not in the registry. */
export function busyEpochs(
  validator: ValidatorLife | undefined,
  toEpoch: number,
  { epochsPerSyncCommitteePeriod }: BeaconSpec,
): EpochRange | undefined {
  const { activationEpoch = null, exitEpoch = null, withdrawableEpoch = null } = validator ?? {}
  if (activationEpoch === null || activationEpoch > toEpoch) return undefined
  if (exitEpoch === null || withdrawableEpoch === null) return { fromEpoch: activationEpoch, toEpoch }
  // Slashed validators are penalized until they can withdraw. Sync committee membership lasts up to two periods.
  const idleFrom = Math.max(withdrawableEpoch, exitEpoch + 2 * epochsPerSyncCommitteePeriod)
  return { fromEpoch: activationEpoch, toEpoch: Math.min(toEpoch, idleFrom - 1) }
}
