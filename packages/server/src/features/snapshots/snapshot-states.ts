import { Failure } from '@coffer/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { valueRead } from '../../domain/valuation.ts'
import type { PortfolioState } from '../portfolio/present-portfolio.ts'
import { createSnapshotStore } from './snapshot-store.ts'

export type WalletDay = { accountId: string; address: Address; date: string }

export type SnapshotStates = ReturnType<typeof createSnapshotStates>

/** At the prices of the day. */
export function createSnapshotStates(db: Kysely<Tables>) {
  const store = createSnapshotStore(db)
  return {
    has: async ({ accountId, ...day }: WalletDay): Promise<boolean> => (await store.find(accountId, day)) !== undefined,
    /** Throws NOT_FOUND. */
    async get({ accountId, ...day }: WalletDay): Promise<PortfolioState> {
      const reads = await store.find(accountId, day)
      if (!reads) throw new Failure('NOT_FOUND', `There is no snapshot of ${day.address} on ${day.date}`)
      return { address: day.address, reads: reads.map(valueRead), incomplete: [] }
    },
  }
}
