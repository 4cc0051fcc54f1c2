import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { PriceMovements } from './price-movements.ts'

/**
 * Completes the history of a wallet on a chain once its transactions are stored: compares its balances with them, then
 * prices everything. Rejects with `UpstreamError` when the chain cannot be read, and soon after an abort; finished work
 * stays stored.
 */
export function createCompleteHistory({
  reconcile,
  priceMovements,
}: {
  /** Compares balances, on chains where the search itself does not. */
  reconcile(of: WalletOnChain): Promise<unknown>
  priceMovements: PriceMovements
}) {
  return async function complete(of: WalletOnChain, signal: AbortSignal): Promise<void> {
    await reconcile(of)
    signal.throwIfAborted()
    await priceMovements(of, signal)
  }
}
