import type { Chain } from './chain.ts'

/** A block may be replaced after it was seen. */
export type SeenBlock = { block: bigint; hash: string }

/** `timestamp`: Unix seconds. */
export type Head = { number: bigint; timestamp: number }

/** Seconds against this machine's clock. */
export type HeadBounds = { mostAhead: number; mostBehind: number }

/** Seconds of clock difference. */
export const MOST_AHEAD = 120
const LEAST_BEHIND = 120
const BLOCKS_BEHIND = 20

/** Undefined for a local chain: its operator can move its time. */
export function headBoundsOf({ isLocal, blockSeconds }: Chain): HeadBounds | undefined {
  if (isLocal) return undefined
  return { mostAhead: MOST_AHEAD, mostBehind: Math.max(LEAST_BEHIND, BLOCKS_BEHIND * blockSeconds) }
}

/** `timestamp` in Unix seconds, `now` in milliseconds. */
export function isStaleHead(chain: Chain, timestamp: number, now: number): boolean {
  const bounds = headBoundsOf(chain)
  return bounds !== undefined && now / 1000 - timestamp > bounds.mostBehind
}

export type PresentChain = {
  /** Null if the block does not exist. Rejects with `UpstreamError`. */
  hashAt(block: bigint): Promise<string | null>
  /** Blocks below the head that may be replaced. */
  finality: bigint
}

export type KnownBlock = Head & { hash: string }

/** The first block at the time: `block` if final, else `early`. */
export type BlockAtTime = { final: KnownBlock; block?: KnownBlock; early?: KnownBlock }

/** By time; undefined if the chain began later. */
export type LastBlocks = { final: KnownBlock; blocks: ReadonlyMap<number, KnownBlock | undefined> }
