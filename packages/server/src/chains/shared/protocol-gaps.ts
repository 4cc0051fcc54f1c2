import { NotFoundYet } from '../../domain/not-found-yet.ts'
import type { Position } from '../../domain/position.ts'
import type { ReadGap, WalletRead } from '../../domain/wallet-read.ts'
import type { Clock } from '../../lib/clock.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { Chain } from '../chain.ts'
import { isStaleHead } from '../seen-block.ts'

export type FoundPositions = { positions: Position[]; gaps: ReadGap[] }

export function lastGood(protocol: string, before: WalletRead | undefined, err: unknown): FoundPositions {
  const positions = (before?.positions ?? []).filter((position) => position.protocol === protocol)
  return keptOrMissing(protocol, positions, err)
}

export function keptOrMissing(protocol: string, positions: Position[], err: unknown): FoundPositions {
  if (positions.length > 0) return { positions, gaps: [{ protocol, reason: 'stale' }] }
  return { positions: [], gaps: [{ protocol, reason: reasonOf(err) }] }
}

function reasonOf(err: unknown): ReadGap['reason'] {
  if (err instanceof NotFoundYet) return 'searching'
  return err instanceof UpstreamError && err.reason === 'not-allowed' ? 'not-allowed' : 'unreadable'
}

export function headGaps(chain: Chain, timestamp: number, clock: Clock): ReadGap[] {
  return isStaleHead(chain, timestamp, clock.now()) ? [{ reason: 'stale' }] : []
}

export function uniqueGaps(gaps: readonly ReadGap[]): ReadGap[] {
  return [...new Map(gaps.map((gap) => [`${gap.protocol} ${gap.reason}`, gap])).values()]
}
