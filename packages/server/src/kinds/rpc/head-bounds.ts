import type { Chain } from '../chain.ts'
import type { HeadBounds } from './heads.ts'

/** Seconds by which clocks of validators and of this machine may differ. */
export const MOST_AHEAD = 120
const LEAST_BEHIND = 120
const BLOCKS_BEHIND = 20

/**
 * Bounds of the time of a chain's newest block. Undefined for a local chain, because its operator can move its time.
 */
export function headBoundsOf({
  isLocal,
  blockSeconds,
}: Pick<Chain, 'isLocal' | 'blockSeconds'>): HeadBounds | undefined {
  if (isLocal) return undefined
  return { mostAhead: MOST_AHEAD, mostBehind: Math.max(LEAST_BEHIND, BLOCKS_BEHIND * blockSeconds) }
}

/** Whether a newest block of this time (Unix seconds) is older than it should be; `now` in milliseconds. */
export function isStaleHead(chain: Pick<Chain, 'isLocal' | 'blockSeconds'>, timestamp: number, now: number): boolean {
  const bounds = headBoundsOf(chain)
  return bounds !== undefined && now / 1000 - timestamp > bounds.mostBehind
}
