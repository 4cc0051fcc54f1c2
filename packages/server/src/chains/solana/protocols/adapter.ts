import type { PositionDraft, TokenAmount } from '../../../domain/position.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { Kept } from '../../../lib/kept.ts'
import type { UpstreamError } from '../../../lib/upstream-error.ts'
import type { SolanaClock } from '../codec/clock.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'

/** `decimals`: undefined until a process has read the mint. */
export type HeldMint = { mint: SolanaAddress; amountRaw: bigint; decimals: number | undefined }

export type SolanaScope = {
  reader: SolanaReader
  wallet: SolanaAddress
  clock: SolanaClock
  held: readonly HeldMint[]
  found: EarlierFinds
}

/** `used`: those of the adapter's programs that the wallet has called. `leftOut` marks the protocol as incomplete. */
export type PositionScope = SolanaScope & { used: ReadonlySet<SolanaAddress>; leftOut?(why: UpstreamError): void }

/**
 * A failure rejects, and the collector keeps the last good positions. An unknown layout is an error, never nothing.
 * Issue reads before awaiting the first answer: those of one tick share a call. The collector drops empty amounts.
 */
export type SolanaAdapter = {
  readonly key: string
  readonly title: string
  readonly siteUrl: string
  /** Searched by owner, only for wallets that have used them. */
  readonly searched?: readonly SolanaAddress[]
  positions(scope: PositionScope): Promise<PositionDraft[]>
  /** For pool shares and staked SOL. Omits other tokens. */
  receipts?(scope: Omit<PositionScope, 'wallet' | 'leftOut'>): Promise<ReadonlyMap<SolanaAddress, Receipt>>
}

/** By reads of any wallet of the chain. `pools`: by program, from the mint of a share. */
export type EarlierFinds = { leads(family: string): MintLeads; pools: Kept<ReadonlyMap<SolanaAddress, SolanaAddress>> }

/** Accounts of mints by role, for all wallets and processes. Null: not of the protocol; asked again after a day. */
export type MintLeads = {
  get(mint: SolanaAddress): MintLead | null | undefined
  set(mint: SolanaAddress, lead: MintLead | null): void
}

export type MintLead = Readonly<Record<string, SolanaAddress>>

/** Rounded as the protocol would pay out. */
export type Receipt = { decompose(amountRaw: bigint): TokenAmount[] }
