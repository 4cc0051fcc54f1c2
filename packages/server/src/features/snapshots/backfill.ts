import type { Address } from '../../domain/address.ts'
import { startOfDay } from '../../domain/day.ts'
import type { Problem } from './day-states.ts'
import type { SnapshotStore } from './snapshot-store.ts'
import type { WholeReads } from './whole-reads.ts'

/**
 * Takes the snapshot of a past day for accounts that need not have paid for it then, from nodes that still have its state.
 * What is there already stays as it is.
 */
export function createBackfill({
  store,
  reads,
}: {
  store: Pick<SnapshotStore, 'shareExisting' | 'save'>
  reads: Pick<WholeReads, 'at'>
}) {
  return async function backfill(
    day: { address: Address; date: string },
    accounts: readonly bigint[],
  ): Promise<{ outcome: 'there already' | 'taken' } | { problem: Problem }> {
    if (await store.shareExisting(day, accounts)) return { outcome: 'there already' }
    const read = await reads.at(day.address, startOfDay(day.date))
    if ('problem' in read) return read
    await store.save({ ...day, first: null }, read.reads, accounts)
    return { outcome: 'taken' }
  }
}
