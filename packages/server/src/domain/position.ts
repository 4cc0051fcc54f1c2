import type { Address } from './address.ts'
import type { Backing } from './liquidity.ts'

/** `backing`: only until the amounts of a read share what can be taken out. Absent where the amount is certain. */
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

/**
 * Amounts of a wallet inside a protocol at one block, in base units. Values are added later, for all positions at once.
 */
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
  /**
   * Tokens in the wallet that this position stands for; the portfolio shows them here and not in the wallet. Of a
   * staked NFT the contract that issued it, by which its cost is found.
   */
  receipts: Address[]
  /** 18 decimals; absent without debt. */
  healthFactorRaw?: bigint
  /** Unix seconds; absent when nothing is locked. */
  unlockAt?: number
  /** Of an NFT position. */
  tokenId?: bigint
  perpetual?: Perpetual
}

/**
 * Details of a perpetual beside its value; `sizeRaw` in units of its asset, prices and margin in USD, all with 18 decimals.
 * Absent: unknown.
 */
export type Perpetual = {
  side: 'long' | 'short'
  sizeRaw?: bigint
  entryPriceRaw?: bigint
  marginUsedRaw?: bigint
  leverageRaw?: bigint
  liquidationPriceRaw?: bigint
}

type Lists = 'borrowed' | 'rewards' | 'receipts'

/** A position of a family, before it is known as one of a protocol on a chain. Lists that are left out are empty. */
export type PositionDraft = Omit<Position, 'protocol' | 'chain' | Lists> & Partial<Pick<Position, Lists>>

/**
 * The position of a protocol on a chain. Empty amounts are dropped here, once, for all families; without any it is none,
 * unless it is a perpetual, which is open whatever it has won.
 */
export function stampPosition(draft: PositionDraft, protocol: string, chain: string): Position | undefined {
  const nonZero = (amounts: TokenAmount[] = []) => amounts.filter(({ amountRaw }) => amountRaw > 0n)
  const supplied = nonZero(draft.supplied)
  const borrowed = nonZero(draft.borrowed)
  const rewards = nonZero(draft.rewards)
  if (supplied.length + borrowed.length + rewards.length === 0 && !draft.perpetual) return undefined
  return { ...draft, protocol, chain, supplied, borrowed, rewards, receipts: draft.receipts ?? [] }
}
