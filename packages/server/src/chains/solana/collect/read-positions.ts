import { stampPosition } from '../../../domain/position.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { ReadGap, WalletRead } from '../../../domain/wallet-read.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { UpstreamError } from '../../../lib/upstream-error.ts'
import { type FoundPositions, lastGood } from '../../shared/protocol-gaps.ts'
import type { SolanaAdapter, SolanaScope } from '../protocols/adapter.ts'

/** A failed protocol keeps its former positions, marked. */
export async function readPositions(
  adapters: readonly SolanaAdapter[],
  {
    scope,
    used,
    before,
    chain,
    log,
  }: {
    scope: SolanaScope
    used: ReadonlySet<SolanaAddress>
    before: WalletRead | undefined
    chain: string
    log: Pick<Logger, 'warn'>
  },
): Promise<FoundPositions> {
  const outcomes = await Promise.all(
    adapters.map(async (adapter): Promise<FoundPositions> => {
      const gaps: ReadGap[] = []
      const leftOut = (err: UpstreamError) => {
        log.warn(
          { err, chain, protocol: adapter.key },
          'part of a protocol could not be read; the answer marks it as missing',
        )
        gaps.push({ protocol: adapter.key, reason: 'unreadable' })
      }
      try {
        const drafts = await adapter.positions({ ...scope, used: usedOf(adapter, used), leftOut })
        return { positions: drafts.flatMap((draft) => stampPosition(draft, adapter.key, chain) ?? []), gaps }
      } catch (err) {
        log.warn(
          { err, chain, protocol: adapter.key },
          'a protocol could not be read; its last known positions are kept',
        )
        return lastGood(adapter.key, before, err)
      }
    }),
  )
  return {
    positions: outcomes.flatMap((outcome) => outcome.positions),
    gaps: outcomes.flatMap((outcome) => outcome.gaps),
  }
}

export function usedOf({ searched = [] }: SolanaAdapter, used: ReadonlySet<SolanaAddress>): ReadonlySet<SolanaAddress> {
  return new Set(searched.filter((program) => used.has(program)))
}
