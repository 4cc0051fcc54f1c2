import type { BeaconApiMethods } from '@lodestar/api/beacon/server'
import { ApiError } from '@lodestar/api/server'
import { chainConfigToJson } from '@lodestar/config'
import { activePreset, SLOTS_PER_EPOCH } from '@lodestar/params'
import { computeEpochAtSlot, computeStartSlotAtEpoch } from '@lodestar/state-transition'
import type { BeaconChain } from '../chain/beacon-chain.ts'
import type { Faults } from '../faults.ts'
import type { Lookup } from './lookup.ts'

export const configRoutes = ({ config }: BeaconChain, preset: string) =>
  ({
    getSpec: async () => {
      const values = Object.entries(activePreset).map(([name, value]) => [name, String(value)])
      return { data: { ...chainConfigToJson(config), ...Object.fromEntries(values), PRESET_BASE: preset } }
    },
    getForkSchedule: async () => {
      const forks = Object.values(config.forks).filter(({ epoch }) => epoch !== Infinity)
      const data = forks.map(({ version, prevVersion, epoch }) => ({
        currentVersion: version,
        previousVersion: prevVersion,
        epoch,
      }))
      return { data }
    },
    getDepositContract: async () => ({
      data: { chainId: config.DEPOSIT_CHAIN_ID, address: config.DEPOSIT_CONTRACT_ADDRESS },
    }),
  }) satisfies Partial<BeaconApiMethods['config']>

export const genesisRoutes = ({ config, state }: BeaconChain) =>
  ({
    getGenesis: async () => ({
      data: {
        genesisTime: state().genesisTime,
        genesisValidatorsRoot: config.genesisValidatorsRoot,
        genesisForkVersion: config.GENESIS_FORK_VERSION,
      },
    }),
  }) satisfies Partial<BeaconApiMethods['beacon']>

export const nodeRoutes = ({ state }: BeaconChain, faults: () => Faults) =>
  ({
    getSyncingStatus: async () => {
      const { syncDistance = 0 } = faults()
      const headSlot = state().slot
      return { data: { headSlot, syncDistance, isSyncing: syncDistance > 0, isOptimistic: false, elOffline: false } }
    },
    getNodeVersion: async () => ({
      data: { version: faults().attestationRewards === 'lodestar' ? 'Lodestar/v1.46.0' : 'coffer-devnet/1.0.0' },
    }),
    getHealth: async () => ({ status: 200 }),
  }) satisfies Partial<BeaconApiMethods['node']>

const ROOT_BEFORE = new Uint8Array(32)

export const validatorRoutes = (chain: BeaconChain, lookup: Lookup) =>
  ({
    getProposerDuties: async ({ epoch }) => {
      const current = computeEpochAtSlot(chain.state().slot)
      if (epoch > current + 1) throw new ApiError(400, `Epoch ${epoch} is too far ahead of ${current}`)
      const first = computeStartSlotAtEpoch(epoch)
      lookup.refuseHistory(first)
      const state = epoch >= current ? chain.state() : lookup.stateOfEpoch(first)
      const proposers =
        epoch > current ? state.epochCtx.getBeaconProposersNextEpoch() : state.epochCtx.getBeaconProposers()
      const data = Array.from({ length: SLOTS_PER_EPOCH }, (_, at) => {
        const validatorIndex = proposers[at] ?? 0
        const { pubkey } = state.validators.getReadonly(validatorIndex)
        return { slot: first + at, validatorIndex, pubkey }
      })
      const dependentRoot = `0x${Buffer.from(chain.store.roots[Math.max(0, first - 1)] ?? ROOT_BEFORE).toString('hex')}`
      return { data, meta: { executionOptimistic: false, dependentRoot } }
    },
  }) satisfies Partial<BeaconApiMethods['validator']>
