/** A block may be replaced after it was seen. */
export type SeenBlock = { block: bigint; hash: string }

/** `timestamp`: Unix seconds. */
export type Head = { number: bigint; timestamp: number }

export type PresentChain = {
  /** Null if the block does not exist. Rejects with `UpstreamError`. */
  hashAt(block: bigint): Promise<string | null>
  /** Blocks below the head that may be replaced. */
  finality: bigint
}

export type KnownBlock = Head & { hash: string }

/** The first block at the time: `block` if final, else `early`. */
export type BlockAtTime = { final: KnownBlock; block?: KnownBlock; early?: KnownBlock }
