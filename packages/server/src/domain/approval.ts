import type { Address } from './address.ts'

/** An allowance that a wallet set on an ERC-20 token, where it is logged. 2^256 − 1 is without limit, 0 revokes. */
export type Approval = LogPlace & {
  blockHash: `0x${string}`
  /** Of the transaction. */
  hash: `0x${string}`
  contract: Address
  spender: Address
  amountRaw: bigint
}

/** Where on its chain a log is. */
export type LogPlace = { block: bigint; logIndex: number }
