import type { BeaconApiMethods } from '@lodestar/api/beacon/server'
import { ApiError } from '@lodestar/api/server'
import { EPOCHS_PER_SYNC_COMMITTEE_PERIOD, SYNC_COMMITTEE_SUBNET_COUNT } from '@lodestar/params'
import {
  type CachedBeaconStateElectra,
  type CachedBeaconStateExecutions,
  computeEpochAtSlot,
  computeStartSlotAtEpoch,
} from '@lodestar/state-transition'
import { getValidatorStatus } from '@lodestar/types'
import type { Lookup } from './lookup.ts'

type Methods = BeaconApiMethods['beacon']
type Id = string | number

const validatorOf = (state: CachedBeaconStateExecutions, index: number) => {
  const validator = state.validators.getReadonly(index).toValue()
  const status = getValidatorStatus(validator, computeEpochAtSlot(state.slot))
  return { index, balance: state.balances.get(index), status, validator }
}

/** A status is exact or a group, for example `active`. */
const validatorsOf = (lookup: Lookup, stateId: Id, ids: readonly Id[] = [], statuses: readonly string[] = []) => {
  const { state, meta } = lookup.state(stateId)
  const all = Array.from({ length: state.validators.length }, (_, index) => index)
  const asked = ids.map((id) => lookup.validator(id, state)).filter((index) => index !== null)
  const data = (ids.length > 0 ? asked : all)
    .map((index) => validatorOf(state, index))
    .filter(({ status }) => {
      const [kind = status] = status.split('_')
      return statuses.length === 0 || statuses.includes(status) || statuses.includes(kind)
    })
  return { data, meta }
}

const balancesOf = (lookup: Lookup, stateId: Id, ids: readonly Id[] | undefined) => {
  const { data, meta } = validatorsOf(lookup, stateId, ids)
  return { data: data.map(({ index, balance }) => ({ index, balance })), meta }
}

const validatorRoutes = (lookup: Lookup) =>
  ({
    getStateValidator: async ({ stateId, validatorId }) => {
      const { state, meta } = lookup.state(stateId)
      const index = lookup.validator(validatorId, state)
      if (index === null) throw new ApiError(404, 'Validator not found')
      return { data: validatorOf(state, index), meta }
    },
    getStateValidators: async ({ stateId, validatorIds, statuses }) =>
      validatorsOf(lookup, stateId, validatorIds, statuses),
    postStateValidators: async ({ stateId, validatorIds, statuses }) =>
      validatorsOf(lookup, stateId, validatorIds, statuses),
    getStateValidatorBalances: async ({ stateId, validatorIds }) => balancesOf(lookup, stateId, validatorIds),
    postStateValidatorBalances: async ({ stateId, validatorIds }) => balancesOf(lookup, stateId, validatorIds),
  }) satisfies Partial<Methods>

const committeesOf = (state: CachedBeaconStateExecutions, epoch: number) => {
  const first = computeStartSlotAtEpoch(epoch)
  return state.epochCtx
    .getShufflingAtEpoch(epoch)
    .committees.flatMap((ofSlot, at) =>
      ofSlot.map((members, index) => ({ index, slot: first + at, validators: [...members] })),
    )
}

const periodOf = (epoch: number) => Math.floor(epoch / EPOCHS_PER_SYNC_COMMITTEE_PERIOD)

const syncCommitteeOf = (state: CachedBeaconStateExecutions, epoch: number): number[] => {
  const ahead = periodOf(epoch) - periodOf(computeEpochAtSlot(state.slot))
  const { currentSyncCommitteeIndexed, nextSyncCommitteeIndexed } = state.epochCtx
  if (ahead !== 0 && ahead !== 1) throw new ApiError(400, `No sync committee for epoch ${epoch} in this state`)
  return [...(ahead === 0 ? currentSyncCommitteeIndexed : nextSyncCommitteeIndexed).validatorIndices]
}

const dutyRoutes = (lookup: Lookup) =>
  ({
    getEpochCommittees: async ({ stateId, epoch, index, slot }) => {
      const { state, meta } = lookup.state(stateId)
      const all = committeesOf(state, epoch ?? computeEpochAtSlot(state.slot))
      const isAsked = (one: { index: number; slot: number }) =>
        (index === undefined || one.index === index) && (slot === undefined || one.slot === slot)
      return { data: all.filter(isAsked), meta }
    },
    getEpochSyncCommittees: async ({ stateId, epoch }) => {
      const { state, meta } = lookup.state(stateId)
      const validators = syncCommitteeOf(state, epoch ?? computeEpochAtSlot(state.slot))
      const size = validators.length / SYNC_COMMITTEE_SUBNET_COUNT
      const validatorAggregates = Array.from({ length: SYNC_COMMITTEE_SUBNET_COUNT }, (_, at) =>
        validators.slice(at * size, (at + 1) * size),
      )
      return { data: { validators, validatorAggregates }, meta }
    },
  }) satisfies Partial<Methods>

const queueRoutes = (lookup: Lookup) => {
  const electra = (stateId: Id) => {
    const { state, slot, meta } = lookup.state(stateId)
    const version = state.config.getForkName(slot)
    if (!('pendingDeposits' in state)) throw new ApiError(400, `There are no queues in ${version}`)
    return { state: state as unknown as CachedBeaconStateElectra, meta: { ...meta, version } }
  }
  return {
    getPendingDeposits: async ({ stateId }) => {
      const { state, meta } = electra(stateId)
      return { data: state.pendingDeposits.toValue(), meta }
    },
    getPendingPartialWithdrawals: async ({ stateId }) => {
      const { state, meta } = electra(stateId)
      return { data: state.pendingPartialWithdrawals.toValue(), meta }
    },
  } satisfies Partial<Methods>
}

export const stateRoutes = (lookup: Lookup) =>
  ({
    ...validatorRoutes(lookup),
    ...dutyRoutes(lookup),
    ...queueRoutes(lookup),
    getStateRoot: async ({ stateId }) => {
      const { state, meta } = lookup.state(stateId)
      return { data: { root: state.hashTreeRoot() }, meta }
    },
    getStateFork: async ({ stateId }) => {
      const { state, meta } = lookup.state(stateId)
      return { data: state.fork.toValue(), meta }
    },
    getStateFinalityCheckpoints: async ({ stateId }) => {
      const { state, meta } = lookup.state(stateId)
      const data = {
        previousJustified: state.previousJustifiedCheckpoint.toValue(),
        currentJustified: state.currentJustifiedCheckpoint.toValue(),
        finalized: state.finalizedCheckpoint.toValue(),
      }
      return { data, meta }
    },
  }) satisfies Partial<Methods>
