import { NoHistory } from '../../../beacon/beacon-request.ts'
import type { Relays } from '../../../beacon/relays.ts'
import type { ExecutionReading } from '../../../chains/execution-reading.ts'
import { executionIncome } from '../../../domain/execution-income.ts'
import { createGate } from '../../../lib/concurrency.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { ReadIncome } from './proposals.ts'

/** Each block is some MB with its receipts. */
const BLOCKS_AT_ONCE = 4

/** Turns failures into `NoHistory`, so that only epochs with a proposal wait. */
export function createReadIncome({
  execution,
  relays,
}: {
  execution: Pick<ExecutionReading, 'executedBlock'> | undefined
  relays: Relays
}): ReadIncome {
  const gate = createGate(BLOCKS_AT_ONCE)
  return async (payload) => {
    if (!execution) throw new NoHistory('what a block paid: COFFER_RPC_ETHEREUM is not set')
    try {
      const deliveredWei = await relays.deliveredWei(payload.blockHash)
      return executionIncome(await gate(() => execution.executedBlock(payload)), deliveredWei)
    } catch (thrown) {
      if (!(thrown instanceof UpstreamError)) throw thrown
      throw new NoHistory(`what block ${payload.blockNumber} paid: ${thrown.message}`, { cause: thrown })
    }
  }
}
