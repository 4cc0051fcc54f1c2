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
  /**
   * Slashed before genesis. Its correlation penalty is taken at this epoch's end. `withdrawableEpoch` is half of
   * EPOCHS_PER_SLASHINGS_VECTOR later.
   */
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
  /**
   * Joins a local execution node: a new one, or a running one whose newest block is some seconds older than the
   * genesis. Without it block hashes are made up and there are no receipts.
   */
  execution?: boolean | ExecutionNode
  /**
   * Epochs for which all slots keep their states. Default: all. Older epochs keep their last slot's state. The genesis
   * state stays.
   */
  keepStatesEpochs?: number
}
