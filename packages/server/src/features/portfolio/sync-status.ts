import type { portfolioEndpoints, ResponseOf } from '@coffer/contract'
import type { EvmAddress } from '../../domain/evm-address.ts'
import type { Portfolios } from './portfolios.ts'

/** When each wallet was last read, over its chains the oldest; null when never. */
export async function getSyncStatus(
  portfolios: Portfolios,
  addresses: readonly EvmAddress[],
): Promise<ResponseOf<typeof portfolioEndpoints.getStatus>> {
  const lastReadAt = await portfolios.lastReadAt(addresses)
  return addresses.map((address) => {
    const at = lastReadAt.get(address)
    return {
      address,
      portfolioLastSync: at === undefined ? null : new Date(at).toISOString(),
      transactionsLastSync: null,
      syncInProgress: false,
    }
  })
}
