/** A block as it was seen at some time. */
export type SeenBlock = { block: bigint; hash: string }

/** The block up to which something is known. `timestamp`: Unix seconds. */
export type Head = { number: bigint; timestamp: number }

/** A chain as its endpoints have it now, to compare with what was seen. */
export type PresentChain = {
  /** Null where there is no such block. Rejects with `UpstreamError`. */
  hashAt(block: bigint): Promise<string | null>
  /** Blocks below the head that may be replaced. */
  finality: bigint
}

/** A block of the chain with its own hash. */
export type KnownBlock = Head & { hash: string }

/**
 * `final`: the last final block. The first block at the time is `block` if it is final, `early` while it may be
 * replaced.
 */
export type BlockAtTime = { final: KnownBlock; block?: KnownBlock; early?: KnownBlock }
