import { Failure } from '@coffer/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { valueRead } from '../../domain/valuation.ts'
import type { PortfolioState } from '../portfolio/present-portfolio.ts'
import { createSnapshotStore } from './snapshot-store.ts'

/** A wallet on a day, for the account that has its snapshots. */
export type WalletDay = { accountId: string; address: Address; date: string }

export type SnapshotStates = ReturnType<typeof createSnapshotStates>

/** Wallets as they were on a day, at the prices of then. */
export function createSnapshotStates(db: Kysely<Tables>) {
  const store = createSnapshotStore(db)
  return {
    /** Whether there is a snapshot. */
    has: async ({ accountId, ...day }: WalletDay): Promise<boolean> => (await store.find(accountId, day)) !== undefined,
    /** NOT_FOUND without a snapshot. */
    async get({ accountId, ...day }: WalletDay): Promise<PortfolioState> {
      const reads = await store.find(accountId, day)
      if (!reads) throw new Failure('NOT_FOUND', `There is no snapshot of ${day.address} on ${day.date}`)
      return { address: day.address, reads: reads.map(valueRead), incomplete: [] }
    },
  }
}
