import type { Address } from './address.ts'
import type { Position } from './position.ts'
import type { Price } from './price.ts'
import type { Token } from './token.ts'

/** A token held directly. `receipt`: it stands for a position, so the portfolio shows it there and not in the wallet. */
export type Holding = { token: Address; amountRaw: bigint; receipt: boolean }

/**
 * Part of a read that is missing (`unreadable`, `not-allowed`, or `searching`: not looked for to the end) or older than the
 * rest (`stale`). Without a protocol: the wallet's own tokens.
 */
export type ReadGap = {
  protocol?: string
  reason: 'unreadable' | 'stale' | 'not-allowed' | 'searching' | 'unpriced-debt'
}

/** Everything one read of a wallet on one chain found, at one block, with what is needed to value and show it. */
export type WalletRead = {
  chain: string
  wallet: Address
  block: bigint
  /** Unix seconds of the block. */
  blockTime: number
  /** Milliseconds since the epoch at which the read ended. */
  readAt: number
  holdings: Holding[]
  positions: Position[]
  /** Every token that holdings and positions name, the native coin included. */
  tokens: Token[]
  /** Per token as it is stored. Tokens without an entry are unpriced. */
  prices: Price[]
  gaps: ReadGap[]
}
