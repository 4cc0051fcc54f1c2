import type { Address } from './address.ts'
import type { Position } from './position.ts'
import type { Price } from './price.ts'
import type { Token } from './token.ts'

/** `receipt`: the portfolio shows its position instead. */
export type Holding = { token: Address; amountRaw: bigint; receipt: boolean }

/** `searching`: not searched to the end. `stale`: older than the rest. Without a protocol: the wallet's own tokens. */
export type ReadGap = {
  protocol?: string
  reason: 'unreadable' | 'stale' | 'not-allowed' | 'searching' | 'unpriced-debt'
}

export type ReadOrigin = {
  chain: string
  wallet?: Address
  block?: bigint
  /** Unix seconds. */
  blockTime?: number
  /** Milliseconds since the epoch. */
  readAt: number
  gaps: ReadGap[]
}

export type WalletRead = Required<ReadOrigin> & {
  holdings: Holding[]
  positions: Position[]
  /** Includes the native coin. */
  tokens: Token[]
  /** Per stored unit. Missing ones are unpriced. */
  prices: Price[]
}
