import type { ChainForkConfig } from '@lodestar/config'
import type { capella, phase0 } from '@lodestar/types'
import type { ExecutionNode } from '../options.ts'
import type { SlotPlan } from '../slot-plan.ts'

/** A deposit as the contract has logged it. */
export type LoggedDeposit = { data: phase0.DepositData; index: number }

/** What the execution layer makes of a payload. */
export type ExecutionBlock = {
  hash: Uint8Array
  number: number
  gasLimit: number
  gasUsed: number
  baseFeeWei: bigint
  stateRoot: Uint8Array
  receiptsRoot: Uint8Array
  logsBloom: Uint8Array
  transactions: Uint8Array[]
  /** In the order of their logs. */
  deposits: LoggedDeposit[]
}

export type BlockOrder = {
  slot: number
  /** Unix seconds. */
  timestamp: number
  /** 20 bytes. */
  feeRecipient: string
  plan: SlotPlan
  /** What the chain has the payload pay out. */
  withdrawals: readonly capella.Withdrawal[]
}

/** Makes one execution block a beacon block. */
export type ExecutionLayer = {
  /** What the first payload follows. */
  genesis: ExecutionBlock
  /** Of the node's JSON-RPC, if there is one. */
  url?: string
  /** Blocks up to this one will stay. */
  setFinal(blockNumber: number): void
  mine(order: BlockOrder): Promise<ExecutionBlock>
  stop(): Promise<void>
}

export type ExecutionParts = {
  config: ChainForkConfig
  seed: string
  genesisTime: number
  /** Of the validators of the genesis, in their order. */
  genesisDeposits: readonly phase0.DepositData[]
  /** The node to join; one is started unless given. */
  node?: ExecutionNode
}
