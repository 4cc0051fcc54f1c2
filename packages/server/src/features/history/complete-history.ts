import type { Searched } from '../coverage/coverage.ts'
import type { PriceMovements } from './price-movements.ts'

/**
 * What is done once the transactions of a wallet on a chain are stored: what its balances show beyond them is told, and all
 * of it is priced. Rejects with `UpstreamError` when the chain cannot be read, and soon after the signal aborts; what was
 * done stays done.
 */
export function createCompleteHistory({
  reconcile,
  priceMovements,
}: {
  /** Of a chain where balances are not compared by the search itself. */
  reconcile(of: Searched): Promise<unknown>
  priceMovements: PriceMovements
}) {
  return async function complete(of: Searched, signal: AbortSignal): Promise<void> {
    await reconcile(of)
    signal.throwIfAborted()
    await priceMovements(of, signal)
  }
}
