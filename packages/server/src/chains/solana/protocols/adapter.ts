import type { PositionDraft, TokenAmount } from '../../../domain/position.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
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
}

/**
 * Functions over a reader: no prices, no clock of its own, no other I/O. A failure rejects, and the collector keeps the
 * last good positions. An unknown layout is an error, never nothing.
 * Issue reads before awaiting the first answer: those of one tick share a call.
 */
export type SolanaAdapter = {
  readonly name: string
  readonly key: string
  readonly title: string
  readonly siteUrl: string
  /** Searched by owner, only for wallets that have used them. */
  readonly searched?: readonly SolanaAddress[]
  /** `leftOut` marks the protocol as incomplete. */
  positions(
    scope: SolanaScope & { used: ReadonlySet<SolanaAddress>; leftOut?(why: UpstreamError): void },
  ): Promise<PositionDraft[]>
  /** For pool shares and staked SOL. Omits other tokens. */
  receipts?(
    scope: Omit<SolanaScope, 'wallet'> & { used: ReadonlySet<SolanaAddress> },
  ): Promise<ReadonlyMap<SolanaAddress, Receipt>>
}

/** Accounts of mints by role, for all wallets and processes. Null: not of the protocol; asked again after a day. */
export type MintLeads = {
  get(mint: SolanaAddress): MintLead | null | undefined
  set(mint: SolanaAddress, lead: MintLead | null): void
}

export type MintLead = Readonly<Record<string, SolanaAddress>>

export type Listing = ReadonlyMap<SolanaAddress, SolanaAddress>

/** Rounded as the protocol would pay out. */
export type Receipt = { decompose(amountRaw: bigint): TokenAmount[] }
