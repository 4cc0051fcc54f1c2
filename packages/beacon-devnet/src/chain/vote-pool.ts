import type { BeaconConfig } from '@lodestar/config'
import { ForkSeq, MAX_ATTESTATIONS, MAX_ATTESTATIONS_ELECTRA, SLOTS_PER_EPOCH } from '@lodestar/params'
import { computeEpochAtSlot } from '@lodestar/state-transition'
import type { Attestation } from '@lodestar/types'

/** Votes not yet included, oldest first. */
export const createVotePool = (config: BeaconConfig) => {
  let waiting: { from: number; vote: Attestation }[] = []
  /** Valid for an epoch of slots, from Deneb on until the end of the next epoch. */
  const isTooOld = (voteSlot: number, slot: number) =>
    config.getForkSeq(slot) >= ForkSeq.deneb
      ? computeEpochAtSlot(voteSlot) < computeEpochAtSlot(slot) - 1
      : voteSlot + SLOTS_PER_EPOCH < slot
  /** Earlier votes have another format and do not fit into Electra's blocks. */
  const isElectra = (slot: number) => config.getForkSeq(slot) >= ForkSeq.electra
  const isGood = (voteSlot: number, slot: number) =>
    !isTooOld(voteSlot, slot) && isElectra(voteSlot) === isElectra(slot)
  return {
    add: (votes: readonly Attestation[], from: number): void => {
      waiting.push(...votes.map((vote) => ({ from, vote })))
    },
    take: (slot: number): Attestation[] => {
      const most = isElectra(slot) ? MAX_ATTESTATIONS_ELECTRA : MAX_ATTESTATIONS
      waiting = waiting.filter(({ vote }) => isGood(vote.data.slot, slot))
      const due = waiting.filter(({ from }) => from <= slot).slice(0, most)
      waiting = waiting.filter((one) => !due.includes(one))
      return due.map(({ vote }) => vote)
    },
  }
}

export type VotePool = ReturnType<typeof createVotePool>
