import type { EvmAddress } from '../../domain/evm-address.ts'
import type { PriceMovements } from './price-movements.ts'
import type { Reconcile } from './reconcile.ts'

/**
 * What is done once the transactions of a wallet are stored: what its balances show beyond them is told, and all of it
 * is priced. Rejects with `UpstreamError` when a chain cannot be read; what was done stays done.
 */
export function createCompleteHistory({
  chains,
  reconcile,
  priceMovements,
}: {
  chains: readonly string[]
  reconcile: Reconcile
  priceMovements: PriceMovements
}) {
  return async function complete(wallet: EvmAddress): Promise<void> {
    for (const chain of chains) {
      await reconcile({ wallet, chain })
      await priceMovements({ wallet, chain })
    }
  }
}
