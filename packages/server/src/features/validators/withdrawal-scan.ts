import { withdrawalsRequest } from '../../chains/evm/block-withdrawals.ts'
import { requestEach, valueOrThrow } from '../../chains/rpc/request-each.ts'
import type { RpcPool } from '../../chains/rpc/rpc-pool.ts'
import { type BeaconTimes, slotAt, timeOfSlot } from '../../domain/beacon-time.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { SearchBlocks } from './scan-blocks.ts'
import type { WithdrawalStore } from './withdrawal-store.ts'

/** Blocks of one commit: some seconds of reading. */
export const WITHDRAWAL_PIECE_BLOCKS = 500n

/** Reads every block of a piece: they are indexed by nothing, and told in the same way by blocks of every fork. */
export function createSearchWithdrawals({
  store,
  pool,
  times,
}: {
  store: WithdrawalStore
  pool: RpcPool
  times: BeaconTimes
}): SearchBlocks {
  return async ({ fromBlock, toBlock, validators }) => {
    const wanted = new Set(validators)
    const length = Number(toBlock - fromBlock) + 1
    const requests = Array.from({ length }, (_, i) => withdrawalsRequest(fromBlock + BigInt(i)))
    const blocks = await pool
      .session()
      .run(async (endpoint) => (await requestEach(endpoint, requests)).map(valueOrThrow))
    const rows = blocks.flatMap(({ timestamp, withdrawals }) => {
      const found = withdrawals.filter(({ validatorIndex }) => wanted.has(validatorIndex))
      if (found.length === 0) return []
      const slot = slotOf(times, timestamp)
      return found.map(({ validatorIndex, ...withdrawal }) => ({ ...withdrawal, validator: validatorIndex, slot }))
    })
    await store.save({ fromBlock, toBlock, validators, rows })
  }
}

/** The slot of an execution block since the Merge: its time is that of the slot. */
export function slotOf(times: BeaconTimes, timestamp: number): number {
  const slot = slotAt(times, timestamp)
  if (slot < 0 || timeOfSlot(times, slot) !== timestamp) {
    throw new UpstreamError('invalid', 'the time of an execution block is not that of a slot')
  }
  return slot
}
