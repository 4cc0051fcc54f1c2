import { type CachedBeaconStateExecutions, computeEpochAtSlot } from '@lodestar/state-transition'
import type { AttesterSlashing, phase0 } from '@lodestar/types'
import type { SlotPlan } from '../slot-plan.ts'
import { credentialChangeOf } from './deposit-data.ts'
import { NO_SIGNATURE } from './no-signature.ts'
import { seeded } from './seeded.ts'

const doubleVote = (state: CachedBeaconStateExecutions, validator: number): AttesterSlashing => {
  const epoch = computeEpochAtSlot(state.slot)
  const vote = (head: string) => ({
    attestingIndices: [validator],
    data: {
      slot: BigInt(state.slot),
      index: 0n,
      beaconBlockRoot: seeded(head, validator),
      source: { epoch: 0n, root: seeded('source') },
      target: { epoch: BigInt(epoch), root: seeded('target') },
    },
    signature: NO_SIGNATURE,
  })
  return { attestation1: vote('one head'), attestation2: vote('another head') }
}

const doubleProposal = (state: CachedBeaconStateExecutions, validator: number): phase0.ProposerSlashing => {
  const header = (body: string) => ({
    message: {
      slot: BigInt(state.slot),
      proposerIndex: validator,
      parentRoot: seeded('parent'),
      stateRoot: seeded('state'),
      bodyRoot: seeded(body, validator),
    },
    signature: NO_SIGNATURE,
  })
  return { signedHeader1: header('one body'), signedHeader2: header('another body') }
}

export const operationsOf = (plan: SlotPlan, state: CachedBeaconStateExecutions) => {
  const epoch = computeEpochAtSlot(state.slot)
  const { exits = [], attesterSlashings = [], proposerSlashings = [], credentialChanges = [] } = plan
  return {
    voluntaryExits: exits.map((validatorIndex) => ({ message: { epoch, validatorIndex }, signature: NO_SIGNATURE })),
    attesterSlashings: attesterSlashings.map((validator) => doubleVote(state, validator)),
    proposerSlashings: proposerSlashings.map((validator) => doubleProposal(state, validator)),
    ...(credentialChanges.length > 0 && {
      blsToExecutionChanges: credentialChanges.map((change) => credentialChangeOf(state.config, change)),
    }),
  }
}
