import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { Token } from '../../../domain/token.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { ReceiptBook } from '../../../prices/receipts.ts'
import type { Receipt, SolanaAdapter, SolanaScope } from '../protocols/adapter.ts'
import { usedOf } from './read-positions.ts'

/** If a protocol fails, other sources price its tokens. */
export async function readReceipts(
  adapters: readonly SolanaAdapter[],
  {
    scope,
    used,
    find,
    chain,
    log,
  }: {
    scope: SolanaScope
    used: ReadonlySet<SolanaAddress>
    find(address: SolanaAddress): Token | undefined
    chain: string
    log: Pick<Logger, 'warn'>
  },
): Promise<ReceiptBook> {
  const found = await Promise.all(
    adapters.map(async (adapter) => {
      try {
        return [...((await adapter.receipts?.({ ...scope, used: usedOf(adapter, used) })) ?? [])]
      } catch (err) {
        log.warn(
          { err, chain, protocol: adapter.key },
          'the receipt tokens of a protocol could not be read; other sources price them',
        )
        return []
      }
    }),
  )
  const known = new Map<SolanaAddress, Receipt>(found.flat())
  return {
    underlyings: (token) => (known.has(token) ? [] : undefined),
    decompose: async (token, amountRaw) => known.get(token)?.decompose(amountRaw),
    token: find,
  }
}
