import { type BeaconConfig, type ChainForkConfig, createBeaconConfig } from '@lodestar/config'
import {
  EPOCHS_PER_SLASHINGS_VECTOR,
  FAR_FUTURE_EPOCH,
  ForkSeq,
  UNSET_DEPOSIT_REQUESTS_START_INDEX,
} from '@lodestar/params'
import {
  type BeaconStateElectra,
  type BeaconStateExecutions,
  type BeaconStateFulu,
  type CachedBeaconStateExecutions,
  computeProposerIndices,
  createCachedBeaconState,
  createPubkeyCache,
  getActiveValidatorIndices,
  getGenesisBeaconState,
  getNextSyncCommittee,
} from '@lodestar/state-transition'
import { ssz } from '@lodestar/types'
import type { GenesisValidator } from '../options.ts'
import { credentialsOf, publicKeyOf } from './deposit-data.ts'

const GWEI_PER_ETH = 1_000_000_000
const DEFAULT_BALANCE_GWEI = 32 * GWEI_PER_ETH
const MAX_EFFECTIVE_ETH = { 0: 32, 1: 32, 2: 2048 }
/** After a slashing in epoch 0: the seeds of five epochs are known. */
const EXIT_OF_SLASHED = 5

export type Genesis = {
  config: BeaconConfig
  state: CachedBeaconStateExecutions
  pubkeyCache: ReturnType<typeof createPubkeyCache>
}

type GenesisPayload = { hash: Uint8Array; number: number; gasLimit: number; baseFeeWei: bigint }

export type GenesisParts = {
  config: ChainForkConfig
  validators: readonly GenesisValidator[]
  genesisTime: number
  /** Includes the validators' deposits. */
  depositRoot: Uint8Array
  payload: GenesisPayload
}

export const balanceOf = ({ balanceGwei }: GenesisValidator): number => balanceGwei ?? DEFAULT_BALANCE_GWEI

const lifeOf = ({ pending, slashed, exitEpoch, withdrawableEpoch }: GenesisValidator) => ({
  activationEligibilityEpoch: pending ? FAR_FUTURE_EPOCH : 0,
  activationEpoch: pending ? FAR_FUTURE_EPOCH : 0,
  exitEpoch: exitEpoch ?? (slashed ? EXIT_OF_SLASHED : FAR_FUTURE_EPOCH),
  withdrawableEpoch:
    withdrawableEpoch ?? (slashed ? slashed.penaltyEpoch + EPOCHS_PER_SLASHINGS_VECTOR / 2 : FAR_FUTURE_EPOCH),
})

const addValidators = (state: BeaconStateExecutions, config: ChainForkConfig, all: readonly GenesisValidator[]) => {
  const electra = config.getForkSeq(0) >= ForkSeq.electra
  all.forEach((validator, index) => {
    const balance = balanceOf(validator)
    const prefix = validator.prefix ?? 1
    const most = electra ? MAX_EFFECTIVE_ETH[prefix] : MAX_EFFECTIVE_ETH[1]
    const effectiveBalance = Math.min(Math.floor(balance / GWEI_PER_ETH), most) * GWEI_PER_ETH
    const view = ssz.phase0.Validator.toViewDU({
      pubkey: publicKeyOf(index),
      withdrawalCredentials: credentialsOf(index, prefix, validator.address),
      effectiveBalance,
      slashed: validator.slashed !== undefined,
      ...lifeOf(validator),
    })
    state.validators.push(view)
    state.balances.push(balance)
    state.previousEpochParticipation.push(0)
    state.currentEpochParticipation.push(0)
    state.inactivityScores.push(0)
    if (validator.slashed) state.slashings.set(0, (state.slashings.get(0) ?? 0) + effectiveBalance)
  })
}

/** The chain begins after the Merge: the first payload follows this one. */
const setPayload = (state: BeaconStateExecutions, { config, payload, genesisTime }: GenesisParts) => {
  const header = config.getForkTypes(0) as unknown as {
    ExecutionPayloadHeader: typeof ssz.deneb.ExecutionPayloadHeader
  }
  const view = header.ExecutionPayloadHeader.defaultViewDU()
  view.blockHash = payload.hash
  view.blockNumber = payload.number
  view.timestamp = genesisTime
  view.gasLimit = payload.gasLimit
  view.baseFeePerGas = payload.baseFeeWei
  state.latestExecutionPayloadHeader = view as unknown as typeof state.latestExecutionPayloadHeader
}

/** From Fulu on also sets the proposers of the first two epochs. */
const setDuties = (state: BeaconStateExecutions, fork: ForkSeq, cached: CachedBeaconStateExecutions) => {
  const active = getActiveValidatorIndices(cached, 0)
  const { syncCommittee } = getNextSyncCommittee(fork, cached, active, cached.epochCtx.effectiveBalanceIncrements)
  state.currentSyncCommittee = ssz.altair.SyncCommittee.toViewDU(syncCommittee)
  state.nextSyncCommittee = ssz.altair.SyncCommittee.toViewDU(syncCommittee)
  if (fork >= ForkSeq.fulu) {
    const lookahead = [0, 1].flatMap((epoch) =>
      computeProposerIndices(fork, cached, cached.epochCtx.getShufflingAtEpoch(epoch), epoch),
    )
    ;(state as unknown as BeaconStateFulu).proposerLookahead = ssz.fulu.ProposerLookahead.toViewDU(lookahead)
  }
  state.commit()
}

export const createGenesis = (parts: GenesisParts): Genesis => {
  const { config, validators, genesisTime, payload } = parts
  const fork = config.getForkSeq(0)
  const { BeaconBlockBody } = config.getForkTypes(0)
  const none = new Uint8Array(32)
  const state = getGenesisBeaconState(
    config,
    { depositRoot: parts.depositRoot, depositCount: BigInt(validators.length), blockHash: payload.hash },
    {
      slot: 0,
      proposerIndex: 0,
      parentRoot: none,
      stateRoot: none,
      bodyRoot: BeaconBlockBody.hashTreeRoot(BeaconBlockBody.defaultValue() as never),
    },
  ) as BeaconStateExecutions
  state.genesisTime = genesisTime
  state.eth1DepositIndex = validators.length
  addValidators(state, config, validators)
  state.commit()
  state.genesisValidatorsRoot = state.validators.hashTreeRoot()
  setPayload(state, parts)
  if (fork >= ForkSeq.electra) {
    ;(state as unknown as BeaconStateElectra).depositRequestsStartIndex = UNSET_DEPOSIT_REQUESTS_START_INDEX
  }
  state.commit()
  const beaconConfig = createBeaconConfig(config, state.genesisValidatorsRoot)
  const pubkeyCache = createPubkeyCache()
  const shared = { config: beaconConfig, pubkeyCache }
  setDuties(state, fork, createCachedBeaconState(state, shared, { skipSyncCommitteeCache: true }))
  return { config: beaconConfig, state: createCachedBeaconState(state, shared), pubkeyCache }
}
