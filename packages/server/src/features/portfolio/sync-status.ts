import type { portfolioEndpoints, ResponseOf, SyncProgress } from '@coffer/contract'
import type { Address } from '../../domain/address.ts'
import type { Portfolios } from './portfolios.ts'

/** How far a wallet's transactions are synced. `completedAt` in Unix milliseconds. */
export type FoundSync = { completedAt: number | null; progress: SyncProgress }

/** Answers of each of the wallets, also of one that never was synced. */
export type FindSyncs = (wallets: readonly Address[]) => Promise<(wallet: Address) => FoundSync>

/** When each wallet was last read, over its chains the oldest, and how far its transactions are synced; null when never. */
export async function getSyncStatus(
  { portfolios, findSyncs }: { portfolios: Portfolios; findSyncs: FindSyncs },
  addresses: readonly Address[],
): Promise<ResponseOf<ReturnType<typeof portfolioEndpoints>['getStatus']>> {
  const [lastReadAt, syncOf] = await Promise.all([portfolios.lastReadAt(addresses), findSyncs(addresses)])
  return addresses.map((address) => {
    const { completedAt, progress } = syncOf(address)
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
