import type { ExecutionReading } from '../../../chains/execution-reading.ts'
import type { BeaconTimes } from '../../../domain/beacon-time.ts'
import type { SearchBlocks } from '../scans/scan-blocks.ts'
import { slotOfBlock } from '../slot-of-block.ts'
import type { WithdrawalStore } from './withdrawal-store.ts'

/** Some seconds of reading. */
export const WITHDRAWAL_PIECE_BLOCKS = 500n

/** No index lists withdrawals; blocks of every fork carry them in the same form. */
export function createSearchWithdrawals({
  store,
  execution,
  times,
}: {
  store: WithdrawalStore
  execution: Pick<ExecutionReading, 'withdrawals'>
  times: BeaconTimes
}): SearchBlocks {
  return async ({ fromBlock, toBlock, validators }) => {
    const wanted = validators === 'all' ? undefined : new Set(validators)
    const blocks = await execution.withdrawals({ fromBlock, toBlock })
    const rows = blocks.flatMap(({ timestamp, withdrawals }) => {
      const found = wanted ? withdrawals.filter(({ validatorIndex }) => wanted.has(validatorIndex)) : withdrawals
      if (found.length === 0) return []
      const slot = slotOfBlock(times, timestamp)
      return found.map(({ validatorIndex, ...withdrawal }) => ({ ...withdrawal, validator: validatorIndex, slot }))
    })
    await store.save({ fromBlock, toBlock, validators, rows })
  }
}
