import type { Address } from './address.ts'

/** 2^256 − 1 is unlimited, 0 revokes. */
export type Approval = LogPlace & {
  blockHash: `0x${string}`
  hash: `0x${string}`
  contract: Address
  spender: Address
  amountRaw: bigint
}

export type LogPlace = { block: bigint; logIndex: number }
