import { type Bits, hasBit } from '../../../beacon/bits.ts'
import type { BeaconBlock, IncludedAttestation } from '../../../beacon/block-requests.ts'
import type { Committee } from '../../../beacon/duty-requests.ts'

type Duty = { validator: number; slot: number; committee: number; place: number }

/** `blocks`: of the epoch and the next, which may include its attestations. */
export function countInclusions(
  validators: readonly number[],
  committees: readonly Committee[],
  blocks: readonly BeaconBlock[],
): { included: Set<number>; due: Set<number> } {
  const bySlot = Map.groupBy(dutiesOf(new Set(validators), committees), ({ slot }) => slot)
  const sizes = new Map(committees.map(({ slot, index, validators: members }) => [`${slot} ${index}`, members.length]))
  const included = new Set<number>()
  for (const { attestations } of blocks) {
    for (const attestation of attestations) {
      for (const { validator, committee, place } of bySlot.get(attestation.slot) ?? []) {
        const bit = bitOf(attestation, committee, (index) => sizes.get(`${attestation.slot} ${index}`) ?? 0)
        if (bit !== undefined && hasBit(attestation.aggregationBits, bit + place)) included.add(validator)
      }
    }
  }
  return { included, due: new Set([...bySlot.values()].flat().map(({ validator }) => validator)) }
}

function dutiesOf(wanted: ReadonlySet<number>, committees: readonly Committee[]): Duty[] {
  return committees.flatMap(({ slot, index, validators }) =>
    validators.flatMap((validator, place) =>
      wanted.has(validator) ? [{ validator, slot, committee: index, place }] : [],
    ),
  )
}

/** Returns the committee's first bit; undefined for another committee. */
function bitOf(
  { committeeIndex, committeeBits }: IncludedAttestation,
  committee: number,
  sizeOf: (index: number) => number,
): number | undefined {
  if (!committeeBits) return committeeIndex === committee ? 0 : undefined
  if (!hasBit(committeeBits, committee)) return undefined
  return indicesBelow(committeeBits, committee).reduce((sum, index) => sum + sizeOf(index), 0)
}

function indicesBelow(bits: Bits, end: number): number[] {
  return Array.from({ length: end }, (_, index) => index).filter((index) => hasBit(bits, index))
}
