import type { Address } from '../domain/address.ts'
import type { Price } from '../domain/price.ts'
import type { SolanaAddress } from '../domain/solana-address.ts'
import type { Token } from '../domain/token.ts'
import type { Secret } from '../lib/secret.ts'

export type AirdropProtocol = { key: string; name: string }

/** Unix seconds. Binding even if the chain allows more. */
export type ClaimWindow = { from?: number; until?: number }

type SourceTerms = {
  key: string
  protocol: AirdropProtocol
  title: string
  /** Data about distributors of other programs is not trusted. */
  program: SolanaAddress
  /** Data about other tokens is not trusted. Absent if a source has many airdrops. */
  mint?: SolanaAddress
  token?: { symbol: string; name: string }
  window?: ClaimWindow
  /** `{distributor}` is replaced by its address. */
  link: string
}

/** Empty for the answer itself. */
export type FieldPath = readonly string[]

/** URLs have `{owner}`, and `{distributor}` with a directory. */
export type HttpProofSource = SourceTerms & {
  kind: 'http-proof'
  url: string
  /** Absent if the answer is one claim. */
  list?: FieldPath
  fields: {
    unlocked: FieldPath
    locked?: FieldPath
    /** From the leaf upwards. */
    proof: FieldPath
    mint?: FieldPath
    distributor?: FieldPath
  }
  distributor?: SolanaAddress
  directory?: { url: string; list: FieldPath; distributor: FieldPath; limit: number }
  /** Answer without claims, besides 404. */
  none?: { text?: true; field?: FieldPath }
}

/** Lines of `address,unlocked,locked` in base units, in the order of the tree. */
export type AllocationSource = SourceTerms & {
  kind: 'allocation'
  file: string
  distributor: SolanaAddress
  /** Hex; the distributor's may differ in case. */
  root?: string
}

export type AirdropSource = HttpProofSource | AllocationSource

export type AirdropSettings = {
  /** Allowed by the operator. */
  http: readonly HttpProofSource[]
  allocations: readonly AllocationSource[]
  /** Replace scheme and host, by key of the source. */
  urls: ReadonlyMap<string, Secret>
}

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
