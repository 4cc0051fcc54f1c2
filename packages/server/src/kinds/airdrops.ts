import type { Address } from '../domain/address.ts'
import type { Price } from '../domain/price.ts'
import type { Token } from '../domain/token.ts'
import type { AirdropProtocol } from './airdrop-source.ts'

/** A part of an airdrop, in base units. */
export type AirdropPart = {
  amountRaw: bigint
  /** It can be claimed now. */
  isClaimable: boolean
  /** Unix seconds at which it can be claimed; absent if it can be now, or if the time is unknown. */
  unlockAt?: number
}

/** What a wallet can still claim from one distributor, now or later. */
export type Airdrop = {
  protocol: AirdropProtocol
  title: string
  link: string
  distributor: Address
  mint: Address
  /** What its source calls the token. */
  token?: { symbol: string; name: string }
  parts: readonly AirdropPart[]
}

/** What could not be read. `source`: the source's key, or on chain the address of a program or distributor. */
export type AirdropGap = { protocol: string; source: string; reason: 'time-limit' | 'not-allowed' | 'unreadable' }

/** What a wallet can still claim, as of one moment of the chain. */
export type WalletAirdrops = {
  /** `time` in Unix seconds. */
  clock: { slot: bigint; time: number }
  airdrops: readonly Airdrop[]
  /** Every token in `airdrops`. */
  tokens: ReadonlyMap<Address, Token>
  /** Prices for what can be claimed now; a token without a price is absent. */
  prices: ReadonlyMap<Address, Price>
  gaps: readonly AirdropGap[]
}

/** Rejects with `UpstreamError` when the chain cannot be read. */
export type AirdropReading = (chain: string, wallet: Address) => Promise<WalletAirdrops>
