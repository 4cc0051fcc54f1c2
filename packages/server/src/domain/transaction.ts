import type { Address } from './address.ts'
import type { EvmAddress } from './evm-address.ts'

type Hex = `0x${string}`

export type TransactionType =
  | 'ADDLIQUIDITY'
  | 'AIRDROP'
  | 'APPROVAL'
  | 'BORROW'
  | 'BRIDGEIN'
  | 'BRIDGEOUT'
  | 'CLAIM'
  | 'COLLECT'
  | 'CLOSEVAULT'
  | 'DEPOSIT'
  | 'DONATION'
  | 'EXPENSE'
  | 'FAILED'
  | 'FOLLOW'
  | 'IGNORE'
  | 'INTERACTION'
  | 'LEND'
  | 'MINT'
  | 'MULTITYPE'
  | 'OPENVAULT'
  | 'REPAYVAULT'
  | 'REMOVELIQUIDITY'
  | 'SIGN'
  | 'SELFTRANSFER'
  | 'SPAM'
  | 'STAKE'
  | 'SWAP'
  | 'TRANSFERIN'
  | 'TRANSFEROUT'
  | 'UNDEFINED'
  | 'UNSTAKE'
  | 'UNWRAP'
  | 'VOTE'
  | 'WITHDRAW'
  | 'WRAP'

export type ReceiptLog = { address: EvmAddress; topics: readonly Hex[]; data: Hex; logIndex: number }

/** Includes internal calls and block payments. */
export type NativeTransfer = { from: EvmAddress; to: EvmAddress; amountRaw: bigint }

export type Call = { by: EvmAddress; to: EvmAddress; selector: Hex }

/** Failed ones moved only the fee. */
export type ChainTransaction = {
  hash: Hex
  block: bigint
  blockHash: Hex
  index: number
  /** Unix seconds. */
  time: number
  from: EvmAddress
  /** Null: contract creation. */
  to: EvmAddress | null
  /** First four bytes of the input; `0x` without any. */
  selector: Hex
  /** Its own call, then known wrapped ones. */
  calls: readonly Call[]
  succeeded: boolean
  /** Includes a rollup's data fee. */
  feeRaw: bigint
  /** Paid by transfers among the logs; `feeRaw` is zero. */
  feeInToken: boolean
  logs: readonly ReceiptLog[]
  /** Known ones of the wallet. */
  nativeTransfers: readonly NativeTransfer[]
}

/**
 * `swap`: given away for the received. `move`: basis follows (deposits, wraps, stakes). `acquire`: from outside, at its
 * price. `income`: rewards, airdrops, collected fees. `send`: to the outside or another wallet. `spam`: costs nothing.
 * `fee`: gas. `interest`: growth of a rebasing token. `gap`: balance without a transaction.
 */
export type Treatment =
  | 'swap'
  | 'move'
  | 'acquire'
  | 'income'
  | 'send'
  | 'borrow'
  | 'repay'
  | 'bridge'
  | 'spam'
  | 'fee'
  | 'interest'
  | 'gap'

export type Movement = {
  token: Address
  /** With an NFT `amountRaw` is a count. Without a token: the position's number. */
  tokenId: bigint | null
  /**
   * Base units; positive: received, or more debt. Zero names the leg's NFT or position. Alone in `repay`, or with
   * credits: taken whole for its debts.
   */
  amountRaw: bigint
  /** Null: none (gas, interest). */
  counterparty: Address | null
  debt: boolean
  /** Given movements are the price of received ones. */
  leg: number
  treatment: Treatment
  /** `multiplier`: shown units per stored unit. `known` false: the chain dropped it; the oldest one is shown. */
  unit?: { multiplier: string; known: boolean }
}

/** `factory`: confirmed by it. `implementation`: a proxy for its contract. `name`: anyone can write it. */
export type ProtocolBasis = 'factory' | 'implementation' | 'name'

/** Gas is the last movement. */
export type WalletTransaction = {
  hash: string
  block: bigint
  blockHash: string
  index: number
  /** Unix seconds. */
  time: number
  /** Fee payer. */
  from: Address
  /** Null: contract creation. */
  to: Address | null
  /** `0x` without any. */
  selector: string
  succeeded: boolean
  feeRaw: bigint
  type: TransactionType
  protocol: string | null
  /** Absent: the protocol is listed. */
  protocolBasis?: ProtocolBasis
  movements: readonly Movement[]
}
