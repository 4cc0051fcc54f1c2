import { BitArray } from '@chainsafe/ssz'
import { ForkSeq, MAX_COMMITTEES_PER_SLOT } from '@lodestar/params'
import { type CachedBeaconStateExecutions, computeEpochAtSlot } from '@lodestar/state-transition'
import type { Attestation, phase0 } from '@lodestar/types'
import { isAmong, type SlotPlan } from '../slot-plan.ts'
import { NO_SIGNATURE } from './no-signature.ts'
import { seeded } from './seeded.ts'

/** `null`: no vote. */
type Vote = { head: boolean; target: boolean } | null

const VOTES: readonly Exclude<Vote, null>[] = [
  { head: true, target: true },
  { head: false, target: true },
  { head: true, target: false },
  { head: false, target: false },
]

const voteOf = (plan: SlotPlan, validator: number): Vote =>
  isAmong(plan.offline, validator) || isAmong(plan.absent, validator)
    ? null
    : { head: !isAmong(plan.wrongHead, validator), target: !isAmong(plan.wrongTarget, validator) }

type Ballot = {
  state: CachedBeaconStateExecutions
  slot: number
  headRoot: Uint8Array
  targetRoot: Uint8Array
}

const dataOf = ({ state, slot, headRoot, targetRoot }: Ballot, vote: Exclude<Vote, null>, index: number) => ({
  slot,
  index,
  beaconBlockRoot: vote.head ? headRoot : seeded('another head', slot),
  source: state.currentJustifiedCheckpoint.toValue(),
  target: { epoch: computeEpochAtSlot(slot), root: vote.target ? targetRoot : seeded('another target', slot) },
})

type Voters = { committee: number; votes: boolean[] }[]

/** From Electra on one aggregate covers all committees that vote alike. */
const aggregatesOf = (ballot: Ballot, vote: Exclude<Vote, null>, voters: Voters, electra: boolean): Attestation[] => {
  if (voters.length === 0) return []
  if (!electra) {
    return voters.map(
      ({ committee, votes }): phase0.Attestation => ({
        aggregationBits: BitArray.fromBoolArray(votes),
        data: dataOf(ballot, vote, committee),
        signature: NO_SIGNATURE,
      }),
    )
  }
  const committees = new Set(voters.map(({ committee }) => committee))
  const aggregate = {
    aggregationBits: BitArray.fromBoolArray(voters.flatMap(({ votes }) => votes)),
    data: dataOf(ballot, vote, 0),
    signature: NO_SIGNATURE,
    committeeBits: BitArray.fromBoolArray(
      Array.from({ length: MAX_COMMITTEES_PER_SLOT }, (_, committee) => committees.has(committee)),
    ),
  }
  return [aggregate]
}

export const votesOf = (ballot: Ballot, plan: SlotPlan): Attestation[] => {
  const { epochCtx, config } = ballot.state
  const electra = config.getForkSeq(ballot.slot) >= ForkSeq.electra
  const count = epochCtx.getCommitteeCountPerSlot(computeEpochAtSlot(ballot.slot))
  const committees = Array.from({ length: count }, (_, index) => [...epochCtx.getBeaconCommittee(ballot.slot, index)])
  const says = committees.map((members) => members.map((validator) => voteOf(plan, validator)))
  return VOTES.flatMap((vote) => {
    const voters = says
      .map((votes, committee) => ({
        committee,
        votes: votes.map((said) => said?.head === vote.head && said.target === vote.target),
      }))
      .filter(({ votes }) => votes.includes(true))
    return aggregatesOf(ballot, vote, voters, electra)
  })
}
