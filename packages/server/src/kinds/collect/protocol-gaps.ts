import { NotFoundYet } from '../../domain/not-found-yet.ts'
import type { Position } from '../../domain/position.ts'
import type { ReadGap, WalletRead } from '../../domain/wallet-read.ts'
import type { Clock } from '../../lib/clock.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { Chain } from '../chain.ts'
import { isStaleHead } from '../rpc/head-bounds.ts'

/** What was read of protocols, and what is missing or old. */
export type FoundPositions = { positions: Position[]; gaps: ReadGap[] }

/** What a protocol that failed keeps of the read before, marked. */
export function lastGood(protocol: string, before: WalletRead | undefined, err: unknown): FoundPositions {
  const positions = (before?.positions ?? []).filter((position) => position.protocol === protocol)
  return keptOrMissing(protocol, positions, err)
}

/** The last positions, marked; a gap where there are none. */
export function keptOrMissing(protocol: string, positions: Position[], err: unknown): FoundPositions {
  if (positions.length > 0) return { positions, gaps: [{ protocol, reason: 'stale' }] }
  return { positions: [], gaps: [{ protocol, reason: reasonOf(err) }] }
}

function reasonOf(err: unknown): ReadGap['reason'] {
  if (err instanceof NotFoundYet) return 'searching'
  return err instanceof UpstreamError && err.reason === 'not-allowed' ? 'not-allowed' : 'unreadable'
}

/** Marks a read as stale if its head is old: the chain or the node stands still. */
export function headGaps(chain: Chain, timestamp: number, clock: Clock): ReadGap[] {
  return isStaleHead(chain, timestamp, clock.now()) ? [{ reason: 'stale' }] : []
}

/** Each gap once, whatever the number of rows that have it. */
export function uniqueGaps(gaps: readonly ReadGap[]): ReadGap[] {
  return [...new Map(gaps.map((gap) => [`${gap.protocol} ${gap.reason}`, gap])).values()]
}
