import type { BeaconSpec, SlashingTerms } from '../../../beacon/network-requests.ts'

function termsAt(spec: Pick<BeaconSpec, 'slashing'>, epoch: number): SlashingTerms {
  const terms = spec.slashing.findLast(({ fromEpoch }) => fromEpoch <= epoch)
  if (!terms) throw new Error('a chain has terms from its first epoch on')
  return terms
}

/** In gwei, from the effective balance of the slashing's epoch. */
export function initialPenalty(
  spec: Pick<BeaconSpec, 'slashing'>,
  epoch: number,
  effectiveBalanceGwei: bigint,
): bigint {
  return effectiveBalanceGwei / termsAt(spec, epoch).minPenaltyQuotient
}

/** Half a vector before the validator is withdrawable. */
export function isCorrelationEpoch(
  spec: Pick<BeaconSpec, 'epochsPerSlashingsVector'>,
  epoch: number,
  withdrawableEpoch: number | null,
): boolean {
  return withdrawableEpoch !== null && epoch + spec.epochsPerSlashingsVector / 2 === withdrawableEpoch
}

/** In gwei. `slashedGwei`: balances at the slashings of one vector. `activeGwei`: of all active validators. */
export function correlationPenalty(
  spec: Pick<BeaconSpec, 'slashing' | 'forkEpochs' | 'effectiveBalanceIncrementGwei'>,
  epoch: number,
  {
    effectiveBalanceGwei,
    slashedGwei,
    activeGwei,
  }: { effectiveBalanceGwei: bigint; slashedGwei: bigint; activeGwei: bigint },
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
