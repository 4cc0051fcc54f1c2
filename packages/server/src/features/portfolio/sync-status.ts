import type { portfolioEndpoints, ResponseOf } from '@coffer/contract'
import type { Address } from '../../domain/address.ts'
import type { Portfolios } from './portfolios.ts'

/** How far wallets' transactions are synced; those that never were are absent. Unix milliseconds. */
export type FindSyncs = (
  wallets: readonly Address[],
) => Promise<ReadonlyMap<Address, { state: string; completedAt: number | null }>>

/** When each wallet was last read, over its chains the oldest, and when its transactions were last synced; null when never. */
export async function getSyncStatus(
  { portfolios, findSyncs }: { portfolios: Portfolios; findSyncs: FindSyncs },
  addresses: readonly Address[],
): Promise<ResponseOf<typeof portfolioEndpoints.getStatus>> {
  const [lastReadAt, syncs] = await Promise.all([portfolios.lastReadAt(addresses), findSyncs(addresses)])
  return addresses.map((address) => {
    const sync = syncs.get(address)
    return {
      address,
      portfolioLastSync: asTime(lastReadAt.get(address)),
      transactionsLastSync: asTime(sync?.completedAt),
      syncInProgress: sync?.state === 'running',
    }
  })
}

const asTime = (at: number | null | undefined) => (at === null || at === undefined ? null : new Date(at).toISOString())
