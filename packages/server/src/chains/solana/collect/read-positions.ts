import { stampPosition } from '../../../domain/position.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { Token } from '../../../domain/token.ts'
import type { ReadGap, WalletRead } from '../../../domain/wallet-read.ts'
import type { WarnLog } from '../../../lib/logger.ts'
import type { UpstreamError } from '../../../lib/upstream-error.ts'
import type { ReceiptDirectory } from '../../../prices/receipts.ts'
import { type FoundPositions, lastGood } from '../../shared/protocol-gaps.ts'
import type { Receipt, SolanaAdapter, SolanaScope } from '../protocols/adapter.ts'

type Reading = {
  scope: SolanaScope
  used: ReadonlySet<SolanaAddress>
  chain: string
  log: WarnLog
}

export async function readPositions(
  adapters: readonly SolanaAdapter[],
  { scope, used, before, chain, log }: Reading & { before: WalletRead | undefined },
): Promise<FoundPositions> {
  const outcomes = await Promise.all(
    adapters.map(async (adapter): Promise<FoundPositions> => {
      const gaps: ReadGap[] = []
      const leftOut = (err: UpstreamError) => {
        const message = 'part of a protocol could not be read; the answer marks it as missing'
        log.warn({ err, chain, protocol: adapter.key }, message)
        gaps.push({ protocol: adapter.key, reason: 'unreadable' })
      }
      try {
        const drafts = await adapter.positions({ ...scope, used: usedOf(adapter, used), leftOut })
        return { positions: drafts.flatMap((draft) => stampPosition(draft, adapter.key, chain) ?? []), gaps }
      } catch (err) {
        const message = 'a protocol could not be read; its last known positions are kept'
        log.warn({ err, chain, protocol: adapter.key }, message)
        return lastGood(adapter.key, before, err)
      }
    }),
  )
  return {
    positions: outcomes.flatMap((outcome) => outcome.positions),
    gaps: outcomes.flatMap((outcome) => outcome.gaps),
  }
}

export async function readReceipts(
  adapters: readonly SolanaAdapter[],
  { scope, used, find, chain, log }: Reading & { find(address: SolanaAddress): Token | undefined },
): Promise<ReceiptDirectory> {
  const found = await Promise.all(
    adapters.map(async (adapter) => {
      try {
        return [...((await adapter.receipts?.({ ...scope, used: usedOf(adapter, used) })) ?? [])]
      } catch (err) {
        const message = 'the receipt tokens of a protocol could not be read; other sources price them'
        log.warn({ err, chain, protocol: adapter.key }, message)
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

function usedOf({ searched = [] }: SolanaAdapter, used: ReadonlySet<SolanaAddress>): ReadonlySet<SolanaAddress> {
  return new Set(searched.filter((program) => used.has(program)))
}
