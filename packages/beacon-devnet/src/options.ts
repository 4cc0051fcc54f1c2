/** Each includes those before it. */
export const FORKS = ['bellatrix', 'capella', 'deneb', 'electra', 'fulu'] as const
export type Fork = (typeof FORKS)[number]

export type Preset = 'mainnet' | 'minimal'

/** Its keys are the interop keys of its index. */
export type GenesisValidator = {
  /** Prefix of the withdrawal credentials. Default: 1. With 0 they are the hash of the validator's own key. */
  prefix?: 0 | 1 | 2
  /** For prefix 1 and 2. Default: derived from the index. */
  address?: string
  /** Default: 32 × 10⁹. */
  balanceGwei?: number
  /** Deposited but not activated. */
  pending?: boolean
  exitEpoch?: number
  withdrawableEpoch?: number
  /** Before genesis; the correlation penalty is due at this epoch's end, the withdrawal half a vector later. */
  slashed?: { penaltyEpoch: number }
}

/** A running local node. It continues unchanged between slots. */
export type ExecutionNode = { url: string; chainId: number }

export type BeaconDevnetOptions = {
  /** Default: `minimal` (8 slots an epoch, sync committee of 32). */
  preset?: Preset
  /** Overrides, e.g. `{ EPOCHS_PER_ETH1_VOTING_PERIOD: 1 }`. */
  presetValues?: Readonly<Record<string, number>>
  /** Default: `fulu`. */
  fork?: Fork
  forkEpochs?: Partial<Record<Fork, number>>
  /** A number of validators with prefix 1 and 32 ETH, or a list. */
  validators: number | readonly GenesisValidator[]
  /** Unix seconds. Default: mainnet's. */
  genesisTime?: number
  secondsPerSlot?: number
  /** Overrides, e.g. `{ SHARD_COMMITTEE_PERIOD: 0 }`. */
  config?: Readonly<Record<string, number>>
  seed?: string
  /** Beacon API. Default: a free port. */
  port?: number
  /** A new local node, or a running one slightly older than genesis. Without it hashes are made up. */
  execution?: boolean | ExecutionNode
  /** Keep the states of all slots (default: all); older epochs keep their last slot's. The genesis state stays. */
  keepStatesEpochs?: number
}
