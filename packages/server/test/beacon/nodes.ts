import type { Faults } from '@coffer/beacon-devnet'

export const BEACON_FEATURES = ['details', 'rewards'] as const

/** `warning`: the log line. */
export type BeaconNode = {
  name: string
  cells: readonly ['whole', 'whole' | 'said']
  /** `epoch`: the first that the node keeps; `slot`: its first slot. */
  faults(epoch: number, slot: number): Faults
  warning: RegExp | undefined
  /** Last epoch open until a node reports it; absent where all do. */
  openTo: 'kept' | 'end' | undefined
}

const FRACTION = /(ideal|total)_rewards\.\w+ of a beacon node's answer is "[\d.]+"/
const SEATS = /rewards\/sync_committee\.reward of a beacon node's answer is "-?[\d.]+"/

export const beaconNodes: readonly BeaconNode[] = [
  {
    name: 'a node that keeps all states and rewards',
    cells: ['whole', 'whole'],
    faults: () => ({}),
    warning: undefined,
    openTo: undefined,
  },
  {
    name: 'a node without older states, which says 404',
    cells: ['whole', 'said'],
    faults: (historyFromEpoch, statesFromSlot) => ({ historyFromEpoch, statesFromSlot }),
    warning: /no history/,
    // The state before the node's first epoch tells who was slashed in it: it stays open too.
    openTo: 'kept',
  },
  {
    name: 'Lodestar without older states, which says 500',
    cells: ['whole', 'said'],
    faults: (historyFromEpoch, statesFromSlot) => ({ historyFromEpoch, statesFromSlot, missingStates: 500 }),
    warning: /no history/,
    openTo: 'kept',
  },
  {
    name: 'Lodestar with fractions in rewards',
    cells: ['whole', 'said'],
    faults: () => ({ attestationRewards: 'fractional' }),
    warning: FRACTION,
    openTo: 'end',
  },
  {
    name: 'Lodestar with fractions in rewards of the sync committee',
    cells: ['whole', 'said'],
    faults: () => ({ syncRewards: 'fractional' }),
    warning: SEATS,
    openTo: 'end',
  },
  {
    name: 'Lodestar with balances for rewards of the sync committee',
    cells: ['whole', 'said'],
    faults: () => ({ syncRewards: 'balance' }),
    warning: SEATS,
    openTo: 'end',
  },
]
