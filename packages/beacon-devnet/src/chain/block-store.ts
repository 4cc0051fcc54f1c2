import { SLOTS_PER_EPOCH } from '@lodestar/params'
import type { CachedBeaconStateExecutions } from '@lodestar/state-transition'
import type { rewards, SignedBeaconBlock } from '@lodestar/types'
import { toHex } from '@lodestar/utils'

export type StoredBlock = {
  slot: number
  root: Uint8Array
  signed: SignedBeaconBlock
  rewards: rewards.BlockRewards
}

export const createBlockStore = (keepStatesEpochs: number) => {
  const blocks = new Map<number, StoredBlock>()
  const slotByRoot = new Map<string, number>()
  const slotByStateRoot = new Map<string, number>()
  const states = new Map<number, CachedBeaconStateExecutions>()
  /** Root of the newest block at or before each slot. */
  const roots: Uint8Array[] = []

  const isLastOfEpoch = (slot: number) => (slot + 1) % SLOTS_PER_EPOCH === 0

  const forgetStates = (slot: number) => {
    const oldest = slot - keepStatesEpochs * SLOTS_PER_EPOCH
    if (oldest > 0 && !isLastOfEpoch(oldest)) states.delete(oldest)
  }

  return {
    roots,
    addState: (slot: number, state: CachedBeaconStateExecutions): void => {
      states.set(slot, state)
      forgetStates(slot)
    },
    addBlock: (block: StoredBlock): void => {
      blocks.set(block.slot, block)
      slotByRoot.set(toHex(block.root), block.slot)
      slotByStateRoot.set(toHex(block.signed.message.stateRoot), block.slot)
    },
    block: (slot: number): StoredBlock | undefined => blocks.get(slot),
    blockAtOrBefore: (slot: number): StoredBlock | undefined => {
      const root = roots[slot]
      const found = root && slotByRoot.get(toHex(root))
      return found === undefined ? undefined : blocks.get(found)
    },
    slotOfRoot: (root: string): number | undefined => slotByRoot.get(root.toLowerCase()),
    slotOfStateRoot: (root: string): number | undefined => slotByStateRoot.get(root.toLowerCase()),
    state: (slot: number): CachedBeaconStateExecutions | undefined => states.get(slot),
    /** All states of an epoch have the same committees, base rewards and effective balances. */
    stateOfEpoch: (slot: number): CachedBeaconStateExecutions | undefined =>
      states.get(slot) ?? states.get(slot - (slot % SLOTS_PER_EPOCH) + SLOTS_PER_EPOCH - 1),
  }
}
