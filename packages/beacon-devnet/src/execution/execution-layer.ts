import type { ChainForkConfig } from '@lodestar/config'
import type { capella, phase0 } from '@lodestar/types'
import type { ExecutionNode } from '../options.ts'
import type { SlotPlan } from '../slot-plan.ts'

export type LoggedDeposit = { data: phase0.DepositData; index: number }

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
  /** In log order. */
  deposits: LoggedDeposit[]
}

export type BlockOrder = {
  slot: number
  /** Unix seconds. */
  timestamp: number
  /** 20 bytes. */
  feeRecipient: string
  plan: SlotPlan
  withdrawals: readonly capella.Withdrawal[]
}

export type ExecutionLayer = {
  /** The first payload follows it. */
  genesis: ExecutionBlock
  /** JSON-RPC, if a node exists. */
  url?: string
  setFinal(blockNumber: number): void
  mine(order: BlockOrder): Promise<ExecutionBlock>
  stop(): Promise<void>
}

export type ExecutionParts = {
  config: ChainForkConfig
  seed: string
  genesisTime: number
  /** In the order of the genesis validators. */
  genesisDeposits: readonly phase0.DepositData[]
  /** Default: starts one. */
  node?: ExecutionNode
}
