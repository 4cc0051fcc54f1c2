import type { Chain } from '../chain.ts'

/** Seconds against this machine's clock. */
export type HeadBounds = { mostAhead: number; mostBehind: number }

/** Seconds of clock difference. */
export const MOST_AHEAD = 120
const LEAST_BEHIND = 120
const BLOCKS_BEHIND = 20

/** Undefined for a local chain: its operator can move its time. */
export function headBoundsOf({
  isLocal,
  blockSeconds,
}: Pick<Chain, 'isLocal' | 'blockSeconds'>): HeadBounds | undefined {
  if (isLocal) return undefined
  return { mostAhead: MOST_AHEAD, mostBehind: Math.max(LEAST_BEHIND, BLOCKS_BEHIND * blockSeconds) }
}

/** `timestamp` in Unix seconds, `now` in milliseconds. */
export function isStaleHead(chain: Pick<Chain, 'isLocal' | 'blockSeconds'>, timestamp: number, now: number): boolean {
  const bounds = headBoundsOf(chain)
  return bounds !== undefined && now / 1000 - timestamp > bounds.mostBehind
}
