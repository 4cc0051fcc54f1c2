import type { Address } from './address.ts'
import type { EvmAddress } from './evm-address.ts'

type Hex = `0x${string}`

/** What a transaction of a wallet is called. */
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

/** A log of a transaction's receipt. */
export type ReceiptLog = { address: EvmAddress; topics: readonly Hex[]; data: Hex; logIndex: number }

/** Native coin that moved in a transaction: its own value, a call inside it, or what a block pays to an address. */
export type NativeTransfer = { from: EvmAddress; to: EvmAddress; amountRaw: bigint }

/** A function that was called for an account. `selector`: `0x` where the input is shorter. */
export type Call = { by: EvmAddress; to: EvmAddress; selector: Hex }

/** A transaction as the chain tells it, before anything is known of what it means. Failed ones moved nothing but the fee. */
export type ChainTransaction = {
  hash: Hex
  block: bigint
  blockHash: Hex
  /** Its place in the block. */
  index: number
  /** Unix seconds of the block. */
  time: number
  from: EvmAddress
  /** Null: it created a contract. */
  to: EvmAddress | null
  /** First four bytes of the input; `0x` without any. */
  selector: Hex
  /** Its own call, then those that are wrapped in it, as far as they are known; none where it created a contract. */
  calls: readonly Call[]
  succeeded: boolean
  /** What the sender paid for gas in all, the part for a rollup's data included. */
  feeRaw: bigint
  /** The fee was paid in a token, by transfers among the logs; `feeRaw` is zero then. */
  feeInToken: boolean
  /** All of the receipt, in order. */
  logs: readonly ReceiptLog[]
  /** Those that began or ended at the wallet, as far as they are known. */
  nativeTransfers: readonly NativeTransfer[]
}

/**
 * What becomes of the cost of what moved. `swap`: given away for what was received. `move`: basis goes from what was given
 * to what was received (deposits, withdrawals, wraps, stakes). `acquire`: from outside, at its price. `income`: rewards,
 * airdrops, collected fees. `send`: to the outside, or to another wallet. `borrow` and `repay`: an asset against a debt.
 * `bridge`: out of or into a chain. `spam`: unwanted, costs nothing. `fee`: gas. `interest`: what a rebasing token grew by.
 * `gap`: the chain's balance says so, and no transaction explains it.
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

/** One signed change of a token in a wallet. */
export type Movement = {
  token: Address
  /** Of an NFT: `amountRaw` is then a count. Of a position that no token stands for: its number at the contract. */
  tokenId: bigint | null
  /**
   * Base units; positive is received, or more debt for a debt token. Zero only for what stayed in place, an NFT or a
   * position of a contract under its number: in a leg of treatment `move` it names the position that the rest of the leg
   * went into or came out of, of `borrow` and `repay` the one that owes. Alone in a leg of treatment `repay`, or with what
   * was credited, it is a position that was taken whole for its debts.
   */
  amountRaw: bigint
  /** The other side; null where there is none (gas, interest). */
  counterparty: Address | null
  /** The token is a liability. */
  debt: boolean
  /** Movements of one leg belong together: what was given in it is the price of what was received in it. */
  leg: number
  treatment: Treatment
  /** At the time of the transaction; absent where amounts are shown as stored. */
  unit?: ShownUnit
}

/**
 * `multiplier`: shown units per stored unit, as decimal text. `known`: false where the chain does not keep the value of that
 * time; the oldest that it keeps is used to show amounts, and the token has no price.
 */
type ShownUnit = { multiplier: string; known: boolean }

/**
 * How an unlisted contract shows its protocol. `factory`: a factory of the protocol confirms that it made the contract.
 * `implementation`: it is a proxy for a contract of the protocol. `name`: its own name begins with the protocol's, which
 * anyone can write.
 */
export type ProtocolBasis = 'factory' | 'implementation' | 'name'

/** A transaction of a wallet with what it did there, in order; gas is the last movement. */
export type WalletTransaction = {
  hash: string
  block: bigint
  blockHash: string
  /** Its place in the block. */
  index: number
  /** Unix seconds of the block. */
  time: number
  /** Who paid the fee. */
  from: Address
  /** Null: it created a contract. */
  to: Address | null
  /** What names the function that was called; `0x` without any. */
  selector: string
  succeeded: boolean
  feeRaw: bigint
  type: TransactionType
  /** Key in the catalog of protocols or bridges; null where none took part. */
  protocol: string | null
  /** Absent where the catalog or a list names the protocol. */
  protocolBasis?: ProtocolBasis
  movements: readonly Movement[]
}
