/** What a contract of a protocol is there for, as far as that says what a call of it did. */
export type ContractRole =
  | 'bridge'
  | 'distributor'
  | 'exchange'
  | 'lending'
  | 'liquidity'
  | 'staking'
  | 'vault'
  /** It says whose the contract is, and no more. */
  | 'other'

/** Whose a contract is: `protocol` is a key of the catalog of labels. */
export type ContractLabel = { protocol: string; role: ContractRole }
