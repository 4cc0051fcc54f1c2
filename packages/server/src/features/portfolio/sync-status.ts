import type { SyncProgress } from '@coffer/contract'
import type { Address } from '../../domain/address.ts'
import type { Portfolios } from './portfolios.ts'

/** `completedAt` in Unix milliseconds. */
export type FoundSync = { completedAt: number | null; progress: SyncProgress }

export type FindSyncs = (wallets: readonly Address[]) => Promise<(wallet: Address) => FoundSync>

/** `portfolioLastSync`: the oldest over the wallet's chains. */
export async function getSyncStatus(portfolios: Portfolios, findSyncs: FindSyncs, addresses: readonly Address[]) {
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
