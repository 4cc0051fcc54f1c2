import type { portfolioEndpoints, ResponseOf, SyncProgress } from '@coffer/contract'
import type { Address } from '../../domain/address.ts'
import type { Portfolios } from './portfolios.ts'

/** How far a wallet's transactions are synced. `completedAt` in Unix milliseconds. */
export type FoundSync = { completedAt: number | null; progress: SyncProgress }

/** Wallets that never were synced are absent. */
export type FindSyncs = (wallets: readonly Address[]) => Promise<ReadonlyMap<Address, FoundSync>>

const NEVER: SyncProgress = { state: 'never', reason: null, requestedAt: null, newTransactions: 0, chains: [] }

/** When each wallet was last read, over its chains the oldest, and how far its transactions are synced; null when never. */
export async function getSyncStatus(
  { portfolios, findSyncs }: { portfolios: Portfolios; findSyncs: FindSyncs },
  addresses: readonly Address[],
): Promise<ResponseOf<ReturnType<typeof portfolioEndpoints>['getStatus']>> {
  const [lastReadAt, syncs] = await Promise.all([portfolios.lastReadAt(addresses), findSyncs(addresses)])
  return addresses.map((address) => {
    const { completedAt, progress } = syncs.get(address) ?? { completedAt: null, progress: NEVER }
    return {
      address,
      portfolioLastSync: asTime(lastReadAt.get(address)),
      transactionsLastSync: asTime(completedAt),
      syncInProgress: progress.state === 'running',
      sync: progress,
    }
  })
}

const asTime = (at: number | null | undefined) => (at === null || at === undefined ? null : new Date(at).toISOString())
