import { ApiError } from '@lodestar/api/server'
import { SLOTS_PER_EPOCH } from '@lodestar/params'
import { type CachedBeaconStateExecutions, computeStartSlotAtEpoch } from '@lodestar/state-transition'
import type { BeaconChain } from '../chain/beacon-chain.ts'
import type { StoredBlock } from '../chain/block-store.ts'
import { bytesOf } from '../chain/seeded.ts'
import type { Faults } from '../faults.ts'

const PUBLIC_KEY = /^0x[0-9a-f]{96}$/i
const ROOT = /^0x[0-9a-f]{64}$/i
const NUMBER = /^\d+$/

type Found<T> = T & { meta: { executionOptimistic: boolean; finalized: boolean } }

export const createLookup = (chain: BeaconChain, faults: () => Faults) => {
  const { store } = chain
  const finalizedSlot = () => computeStartSlotAtEpoch(chain.state().finalizedCheckpoint.epoch)
  const meta = (slot: number) => ({ executionOptimistic: false, finalized: slot <= finalizedSlot() })

  const namedSlots: Readonly<Record<string, () => number>> = {
    head: () => chain.state().slot,
    genesis: () => 0,
    finalized: finalizedSlot,
    justified: () => computeStartSlotAtEpoch(chain.state().currentJustifiedCheckpoint.epoch),
  }

  const slotOf = (id: string | number, ofRoot: (root: string) => number | undefined): number => {
    const text = String(id)
    const named = namedSlots[text]
    if (named) return named()
    if (NUMBER.test(text)) return Number(text)
    if (!ROOT.test(text)) throw new ApiError(400, `Invalid id '${text}'`)
    const slot = ofRoot(text)
    if (slot === undefined) throw new ApiError(404, `Not found: '${text}'`)
    return slot
  }

  const missingState = (slot: number): ApiError =>
    faults().missingStates === 500
      ? new ApiError(500, `State is unavailable for slot ${slot}`)
      : new ApiError(404, `No state found for id '${slot}'`)

  const isTooOld = (slot: number) => slot < (faults().statesFromSlot ?? 0)

  const refuseHistory = (slot: number): void => {
    const from = faults().historyFromEpoch ?? 0
    if (slot < from * SLOTS_PER_EPOCH) throw new ApiError(404, `No history for slot ${slot}`)
  }

  return {
    meta,
    finalizedSlot,
    state: (id: string | number): Found<{ state: CachedBeaconStateExecutions; slot: number }> => {
      const slot = slotOf(id, store.slotOfStateRoot)
      const state = isTooOld(slot) ? undefined : store.state(slot)
      if (!state) throw missingState(slot)
      return { state, slot, meta: meta(slot) }
    },
    /** For values that are constant within an epoch. */
    stateOfEpoch: (slot: number): CachedBeaconStateExecutions => {
      const state = isTooOld(slot) ? undefined : store.stateOfEpoch(slot)
      if (!state) throw missingState(slot)
      return state
    },
    block: (id: string | number): Found<StoredBlock> => {
      const slot = slotOf(id, store.slotOfRoot)
      const block = id === 'head' || id === 'finalized' ? store.blockAtOrBefore(slot) : store.block(slot)
      if (!block) throw new ApiError(404, 'Block not found')
      refuseHistory(block.slot)
      return { ...block, meta: meta(slot) }
    },
    refuseHistory,
    validator: (id: string | number, state: CachedBeaconStateExecutions): number | null => {
      const text = String(id)
      if (!PUBLIC_KEY.test(text) && !NUMBER.test(text)) throw new ApiError(400, `Invalid validator id ${text}`)
      const index = NUMBER.test(text) ? Number(text) : state.epochCtx.getValidatorIndex(bytesOf(text))
      return index !== null && index < state.validators.length ? index : null
    },
  }
}

export type Lookup = ReturnType<typeof createLookup>
