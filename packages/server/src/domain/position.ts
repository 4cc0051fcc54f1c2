import type { Address } from './address.ts'

export type TokenAmount = { token: Address; amountRaw: bigint }

export type PositionKind =
  | 'lending'
  | 'deposit'
  | 'yield'
  | 'staked'
  | 'locked'
  | 'liquidity'
  | 'nft-liquidity'
  | 'farming'
  | 'vesting'
  | 'rewards'
  | 'margin'
  | 'perpetuals'

/** What a wallet has inside a protocol at one block, in base units. Unpriced: value is added later, for all positions at once. */
export type Position = {
  /** Key of the protocol in the catalog, e.g. `aave_v3`. */
  protocol: string
  chain: string
  kind: PositionKind
  /** For people: the market, the pair, the vault. */
  label: string
  /** The contract that identifies the position: pool, market, pair, vault. */
  pool?: Address
  supplied: TokenAmount[]
  /** Positive amounts; the sign is applied once, when totals are summed. */
  borrowed: TokenAmount[]
  rewards: TokenAmount[]
  /** Tokens in the wallet that this position stands for; the portfolio shows them here and not in the wallet. */
  receipts: Address[]
  /** 18 decimals; absent without debt. */
  healthFactorRaw?: bigint
  /** Unix seconds; absent when nothing is locked. */
  unlockAt?: number
  /** Of an NFT position. */
  tokenId?: bigint
  perpetual?: Perpetual
}

/** What a perpetual says of itself beside what it is worth; prices and margin in USD, all with 18 decimals. Absent: not known. */
export type Perpetual = {
  side: 'long' | 'short'
  entryPriceRaw?: bigint
  marginUsedRaw?: bigint
  leverageRaw?: bigint
}
