import type { BlockRange } from '../domain/block-ranges.ts'
import type { ExecutedBlock } from '../domain/execution-income.ts'
import type { UpstreamError } from '../lib/upstream-error.ts'
import type { BlockAtTime, KnownBlock } from './seen-block.ts'

export type BlockWithdrawal = { index: bigint; validatorIndex: number; address: string; amountGwei: bigint }

/** `blockTime`: null if omitted. */
export type DepositEvent = {
  pubkey: string
  withdrawalCredentials: string
  amountGwei: bigint
  signature: string
  index: bigint
  blockNumber: bigint
  blockTime: number | null
}

export type FoundDeposits = {
  deposits: DepositEvent[]
  covered: readonly BlockRange[]
  missing: readonly BlockRange[]
  failure?: UpstreamError
}

/** Rejects with `UpstreamError`. All but `executedBlock` wait while an endpoint limits the rate. */
export type ExecutionReading = {
  chainId(): Promise<bigint>
  finalBlock(): Promise<KnownBlock>
  /** First block at or after `timestamp` (Unix seconds). */
  blockAt(timestamp: number): Promise<BlockAtTime>
  /** In the order requested. */
  blocks(numbers: readonly bigint[]): Promise<KnownBlock[]>
  /** Rejects for a block without a list of withdrawals. */
  withdrawals(range: BlockRange): Promise<(KnownBlock & { withdrawals: readonly BlockWithdrawal[] })[]>
  deposits(contract: string, range: BlockRange): Promise<FoundDeposits>
  /** Rejects unless the node lists this hash at the number. */
  executedBlock(block: { blockNumber: number; blockHash: string }): Promise<ExecutedBlock>
}
