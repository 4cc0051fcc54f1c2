import type { Address } from '../domain/address.ts'
import type { Price } from '../domain/price.ts'
import type { Token } from '../domain/token.ts'
import type { AirdropProtocol } from './airdrop-source.ts'

/** In base units. */
export type AirdropPart = {
  amountRaw: bigint
  isClaimable: boolean
  /** Unix seconds; absent if claimable or unknown. */
  unlockAt?: number
}

export type Airdrop = {
  protocol: AirdropProtocol
  title: string
  link: string
  distributor: Address
  mint: Address
  token?: { symbol: string; name: string }
  parts: readonly AirdropPart[]
}

/** `source`: its key, or the address of a program or distributor. */
export type AirdropGap = { protocol: string; source: string; reason: 'time-limit' | 'not-allowed' | 'unreadable' }

export type WalletAirdrops = {
  /** `time` in Unix seconds. */
  clock: { slot: bigint; time: number }
  airdrops: readonly Airdrop[]
  tokens: ReadonlyMap<Address, Token>
  /** Unpriced tokens are absent. */
  prices: ReadonlyMap<Address, Price>
  gaps: readonly AirdropGap[]
}

/** Rejects with `UpstreamError`. */
export type AirdropReading = (chain: string, wallet: Address) => Promise<WalletAirdrops>
