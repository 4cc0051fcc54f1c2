import type { Address } from './address.ts'
import type { Backing } from './liquidity.ts'

/** `backing`: until a read's amounts share liquidity. Absent: certain. */
export type TokenAmount = { token: Address; amountRaw: bigint; backing?: Backing }

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

/** At one block, in base units. */
export type Position = {
  /** E.g. `aave_v3`. */
  protocol: string
  chain: string
  kind: PositionKind
  label: string
  /** Pool, market, pair or vault. */
  pool?: Address
  supplied: TokenAmount[]
  /** Positive; totals apply the sign. */
  borrowed: TokenAmount[]
  rewards: TokenAmount[]
  /** Wallet tokens shown here instead. Of a staked NFT its issuer. */
  receipts: Address[]
  /** 18 decimals; absent without debt. */
  healthFactorRaw?: bigint
  /** Unix seconds; absent: not locked. */
  unlockAt?: number
  tokenId?: bigint
  perpetual?: Perpetual
}

/** `sizeRaw` in units of its asset, prices and margin in USD, all with 18 decimals. Absent: unknown. */
export type Perpetual = {
  side: 'long' | 'short'
  sizeRaw?: bigint
  entryPriceRaw?: bigint
  marginUsedRaw?: bigint
  leverageRaw?: bigint
  liquidationPriceRaw?: bigint
}

export type PositionDraft = Omit<Partial<Position>, 'protocol' | 'chain'> & {
  kind: PositionKind
  label: string
  supplied: TokenAmount[]
}

/** Without empty amounts. Undefined without any, except for a perpetual. */
export function stampPosition(draft: PositionDraft, protocol: string, chain: string): Position | undefined {
  const nonZero = (amounts: TokenAmount[] = []) => amounts.filter(({ amountRaw }) => amountRaw > 0n)
  const supplied = nonZero(draft.supplied)
  const borrowed = nonZero(draft.borrowed)
  const rewards = nonZero(draft.rewards)
  if (supplied.length + borrowed.length + rewards.length === 0 && !draft.perpetual) return undefined
  return { ...draft, protocol, chain, supplied, borrowed, rewards, receipts: draft.receipts ?? [] }
}
