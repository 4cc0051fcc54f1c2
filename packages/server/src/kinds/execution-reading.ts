import type { BlockRange } from '../domain/block-ranges.ts'
import type { ExecutedBlock } from '../domain/execution-income.ts'
import type { UpstreamError } from '../lib/upstream-error.ts'
import type { BlockAtTime, KnownBlock } from './seen-block.ts'

/** A withdrawal from the beacon chain. `index`: the chain's running number of withdrawals. */
export type BlockWithdrawal = { index: bigint; validatorIndex: number; address: string; amountGwei: bigint }

/** A deposit as the contract logs it. `index`: its running number. `blockTime` null where the node does not say it. */
export type DepositEvent = {
  pubkey: string
  withdrawalCredentials: string
  amountGwei: bigint
  signature: string
  index: bigint
  blockNumber: bigint
  blockTime: number | null
}

/** The deposits found and the ranges searched; `missing` ranges were not searched, because of `failure`. */
export type FoundDeposits = {
  deposits: DepositEvent[]
  covered: readonly BlockRange[]
  missing: readonly BlockRange[]
  failure?: UpstreamError
}

/**
 * What validators of a beacon chain need of its execution chain. Every function rejects with `UpstreamError`. All but
 * `executedBlock` are background work, which waits while an endpoint limits the rate.
 */
export type ExecutionReading = {
  /** The id of the network, which the beacon chain's configuration names too. */
  chainId(): Promise<bigint>
  /** The last final block. */
  finalBlock(): Promise<KnownBlock>
  /** The first block whose time is at least `timestamp` (Unix seconds), if there is one. */
  blockAt(timestamp: number): Promise<BlockAtTime>
  /** In the order asked. */
  blocks(numbers: readonly bigint[]): Promise<KnownBlock[]>
  /** Every block of the range with its withdrawals. Rejects for a block that does not list any. */
  withdrawals(range: BlockRange): Promise<(KnownBlock & { withdrawals: readonly BlockWithdrawal[] })[]>
  /** Every deposit that the contract logged in the range. */
  deposits(contract: string, range: BlockRange): Promise<FoundDeposits>
  /** A block with what its transactions paid, in order. Rejects unless the node lists this hash at the number. */
  executedBlock(block: { blockNumber: number; blockHash: string }): Promise<ExecutedBlock>
}
