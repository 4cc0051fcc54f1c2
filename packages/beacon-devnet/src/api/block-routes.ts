import type { BeaconApiMethods } from '@lodestar/api/beacon/server'
import { computeEndSlotAtEpoch, computeStartSlotAtEpoch, computeSyncCommitteeRewards } from '@lodestar/state-transition'
import type { BeaconChain } from '../chain/beacon-chain.ts'
import type { Faults } from '../faults.ts'
import { attestationRewards, lodestarAttestationRewards } from './attestation-rewards.ts'
import type { Lookup } from './lookup.ts'

type Methods = BeaconApiMethods['beacon']

const numbersOrKeys = (ids: readonly (string | number)[] = []) =>
  ids.map((id) => (/^\d+$/.test(String(id)) ? Number(id) : String(id)))

const rewardRoutes = (chain: BeaconChain, lookup: Lookup, faults: () => Faults) =>
  ({
    getBlockRewards: async ({ blockId }) => {
      const { rewards, meta } = lookup.block(blockId)
      return { data: rewards, meta }
    },
    getSyncCommitteeRewards: async ({ blockId, validatorIds }) => {
      const { slot, signed, meta } = lookup.block(blockId)
      if (slot === 0) return { data: [], meta }
      const state = lookup.stateOfEpoch(slot)
      const ids = numbersOrKeys(validatorIds)
      const { config, pubkeyCache } = chain
      return { data: await computeSyncCommitteeRewards(config, pubkeyCache, signed.message, state, ids), meta }
    },
    getAttestationsRewards: async ({ epoch, validatorIds }) => {
      lookup.refuseHistory(computeStartSlotAtEpoch(epoch))
      const { state, meta } = lookup.state(computeEndSlotAtEpoch(epoch + 1))
      const ids = numbersOrKeys(validatorIds)
      const compute = faults().attestationRewards === 'lodestar' ? lodestarAttestationRewards : attestationRewards
      return { data: await compute(chain, state, ids), meta }
    },
  }) satisfies Partial<Methods>

const headerRoutes = (chain: BeaconChain, lookup: Lookup) => {
  const headerOf = (blockId: string | number) => {
    const { root, signed, meta } = lookup.block(blockId)
    const { slot, proposerIndex, parentRoot, stateRoot, body } = signed.message
    const bodyRoot = chain.config.getForkTypes(slot).BeaconBlockBody.hashTreeRoot(body as never)
    const message = { slot, proposerIndex, parentRoot, stateRoot, bodyRoot }
    return { data: { root, canonical: true, header: { message, signature: signed.signature } }, meta }
  }
  return {
    getBlockHeader: async ({ blockId }) => headerOf(blockId),
    getBlockHeaders: async ({ slot }) => {
      const { data, meta } = headerOf(slot ?? 'head')
      return { data: [data], meta }
    },
  } satisfies Partial<Methods>
}

export const blockRoutes = (chain: BeaconChain, lookup: Lookup, faults: () => Faults) =>
  ({
    ...headerRoutes(chain, lookup),
    ...rewardRoutes(chain, lookup, faults),
    getBlockV2: async ({ blockId }) => {
      const { slot, signed, meta } = lookup.block(blockId)
      return { data: signed, meta: { ...meta, version: chain.config.getForkName(slot) } }
    },
    getBlockRoot: async ({ blockId }) => {
      const { root, meta } = lookup.block(blockId)
      return { data: { root }, meta }
    },
  }) satisfies Partial<Methods>
