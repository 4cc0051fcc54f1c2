import type { BeaconSpec, SlashingTerms } from '../../../beacon/network-requests.ts'
import type { ValidatorLife } from '../../../beacon/validator-requests.ts'
import type { OutcomePart } from '../registry/outcome-chunk.ts'
import { isActive } from './attestations.ts'
import type { EpochReads } from './epoch-reads.ts'

export async function readSlashings(
  reads: EpochReads,
  epoch: number,
  validators: ReadonlyMap<number, ValidatorLife>,
  spec: BeaconSpec,
): Promise<OutcomePart[]> {
  const slashed = [...validators.values()].filter((validator) => validator.slashed)
  const before = await slashedBefore(reads, epoch, slashed)
  const penalties: OutcomePart[] = []
  let vector: Promise<SlashingsVector> | undefined
  const knownVector = () => (vector ??= readVector(reads, epoch, spec))
  for (const { index, effectiveBalanceGwei, withdrawableEpoch } of slashed) {
    const initial = before.has(index) ? 0n : initialPenalty(spec, epoch, effectiveBalanceGwei)
    const correlation = isCorrelationEpoch(spec, epoch, withdrawableEpoch)
      ? correlationPenalty(spec, epoch, effectiveBalanceGwei, await knownVector())
      : 0n
    if (initial + correlation > 0n) penalties.push([index, { slashingGwei: initial + correlation }])
  }
  return penalties
}

/** In epoch 0 all count as slashed at genesis. */
async function slashedBefore(reads: EpochReads, epoch: number, slashed: readonly ValidatorLife[]) {
  const indices = slashed.map(({ index }) => index)
  if (epoch === 0 || indices.length === 0) return new Set(indices)
  const then = await reads.validators(epoch - 1, indices)
  return new Set(indices.filter((index) => then.get(index)?.slashed))
}

/** `slashedGwei`: balances at the slashings of one vector. */
type SlashingsVector = { slashedGwei: bigint; activeGwei: bigint }

/** Nodes do not serve the sum of slashed balances. */
async function readVector(reads: EpochReads, epoch: number, spec: BeaconSpec): Promise<SlashingsVector> {
  let activeGwei = 0n
  const candidates: ValidatorLife[] = []
  for await (const page of reads.allValidators(epoch)) {
    for (const validator of page) {
      if (isActive(validator, epoch)) activeGwei += validator.effectiveBalanceGwei
      // A validator slashed within the vector is not withdrawable before its end.
      const { slashed, withdrawableEpoch } = validator
      if (slashed && withdrawableEpoch !== null && withdrawableEpoch > epoch) candidates.push(validator)
    }
  }
  let slashedGwei = 0n
  for (const candidate of candidates) slashedGwei += await balanceWhenSlashed(reads, epoch, candidate, spec)
  return { slashedGwei, activeGwei }
}

/** 0 if slashed before the vector. */
async function balanceWhenSlashed(
  reads: EpochReads,
  epoch: number,
  { index, withdrawableEpoch }: ValidatorLife,
  { epochsPerSlashingsVector }: BeaconSpec,
): Promise<bigint> {
  const at = async (when: number) => (await reads.validators(when, [index])).get(index)
  const isSlashedAt = async (when: number) => when >= 0 && (await at(when))?.slashed === true
  let notYet = Math.max(-1, epoch - epochsPerSlashingsVector)
  let already = epoch
  if (await isSlashedAt(notYet)) return 0n
  // Exact if the exit queue was short.
  const likely = (withdrawableEpoch ?? 0) - epochsPerSlashingsVector
  for (let probe = likely; already - notYet > 1; probe = Math.floor((already + notYet) / 2)) {
    const inside = Math.min(Math.max(probe, notYet + 1), already - 1)
    if (await isSlashedAt(inside)) already = inside
    else notYet = inside
  }
  return (await at(already))?.effectiveBalanceGwei ?? 0n
}

function termsAt({ slashing }: BeaconSpec, epoch: number): SlashingTerms {
  const terms = slashing.findLast(({ fromEpoch }) => fromEpoch <= epoch)
  if (!terms) throw new Error('a chain has terms from its first epoch on')
  return terms
}

/** In gwei, from the effective balance of the slashing's epoch. */
export const initialPenalty = (spec: BeaconSpec, epoch: number, effectiveBalanceGwei: bigint): bigint =>
  effectiveBalanceGwei / termsAt(spec, epoch).minPenaltyQuotient

/** Half a vector before the validator is withdrawable. */
export const isCorrelationEpoch = (spec: BeaconSpec, epoch: number, withdrawableEpoch: number | null): boolean =>
  withdrawableEpoch !== null && epoch + spec.epochsPerSlashingsVector / 2 === withdrawableEpoch

/** In gwei. */
export function correlationPenalty(
  spec: BeaconSpec,
  epoch: number,
  effectiveBalanceGwei: bigint,
  { slashedGwei, activeGwei }: SlashingsVector,
): bigint {
  const increment = spec.effectiveBalanceIncrementGwei
  const total = larger(activeGwei, increment)
  const adjusted = smaller(slashedGwei * termsAt(spec, epoch).proportionalMultiplier, total)
  const increments = effectiveBalanceGwei / increment
  const { electra } = spec.forkEpochs
  if (electra !== null && epoch >= electra) return (adjusted / (total / increment)) * increments
  return ((increments * adjusted) / total) * increment
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
