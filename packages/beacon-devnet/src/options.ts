/** Forks a chain may run; each is complete with those before it. */
export const FORKS = ['bellatrix', 'capella', 'deneb', 'electra', 'fulu'] as const
export type Fork = (typeof FORKS)[number]

export type Preset = 'mainnet' | 'minimal'

/** A validator that is in the registry when the chain begins. Its keys are the interop keys of its index. */
export type GenesisValidator = {
  /** Of the withdrawal credentials; 1 unless told. With 0 they are the hash of the validator's own key. */
  prefix?: 0 | 1 | 2
  /** Where withdrawals go with prefix 1 and 2; one made of the index unless told. */
  address?: string
  /** 32 × 10⁹ unless told. */
  balanceGwei?: number
  /** Deposited and not activated. */
  pending?: boolean
  exitEpoch?: number
  withdrawableEpoch?: number
  /**
   * Slashed before the chain began; what is taken for slashings correlated with it is taken as this epoch ends. With it
   * `withdrawableEpoch` is half of EPOCHS_PER_SLASHINGS_VECTOR later.
   */
  slashed?: { penaltyEpoch: number }
}

/** A local node that runs already; between slots it goes on as before. */
export type ExecutionNode = { url: string; chainId: number }

export type BeaconDevnetOptions = {
  /** `minimal` (8 slots an epoch, sync committee of 32) unless told. */
  preset?: Preset
  /** Values of the preset that are to be others, e.g. `{ EPOCHS_PER_ETH1_VOTING_PERIOD: 1 }`. */
  presetValues?: Readonly<Record<string, number>>
  /** The fork of the genesis; `fulu` unless told. */
  fork?: Fork
  /** Epochs at which later forks begin. */
  forkEpochs?: Partial<Record<Fork, number>>
  /** So many with prefix 1 and 32 ETH, or each as told. */
  validators: number | readonly GenesisValidator[]
  /** Unix seconds; mainnet's unless told. */
  genesisTime?: number
  secondsPerSlot?: number
  /** Values of the chain's configuration that are to be others, e.g. `{ SHARD_COMMITTEE_PERIOD: 0 }`. */
  config?: Readonly<Record<string, number>>
  /** What everything that looks random is hashed from. */
  seed?: string
  /** Fixed port of the Beacon API; a free one unless told. */
  port?: number
  /**
   * Joins the chain to a local execution node: one of its own, or one that is there, whose newest block has to be some
   * seconds older than the genesis. Without it hashes of blocks are made up, and there are no receipts.
   */
  execution?: boolean | ExecutionNode
  /** States of all slots are kept for so many epochs; of older epochs those of the last slot, and that of the genesis. All unless told. */
  keepStatesEpochs?: number
}
