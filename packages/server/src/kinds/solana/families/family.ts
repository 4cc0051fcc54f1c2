import type { PositionDraft, TokenAmount } from '../../../domain/position.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { UpstreamError } from '../../../lib/upstream-error.ts'
import type { SolanaClock, SolanaReader } from '../reader/solana-reader.ts'

/**
 * A token of a wallet: the sum over its accounts of one mint. `decimals` is undefined until a process has read the
 * mint.
 */
export type HeldMint = { mint: SolanaAddress; amountRaw: bigint; decimals: number | undefined }

/** The wallet data that a family gets. `held`: every mint with a balance, position NFTs among them. */
export type SolanaScope = {
  reader: SolanaReader
  wallet: SolanaAddress
  clock: SolanaClock
  held: readonly HeldMint[]
}

/**
 * The logic of a protocol on Solana, as functions over a reader: no prices, no clock of its own, no other I/O, no
 * swallowed failures. A family that cannot read rejects, and the collector keeps its last good positions. An account of
 * an unknown layout or version is an error, never nothing.
 *
 * Reads are issued before the first answer is awaited: those of one tick share a call, and each further tick costs a
 * trip. Two trips are usual: what the wallet's addresses and mints lead to, and what that leads to.
 */
export type SolanaFamily = {
  readonly name: string
  /** Key and name of the protocol, as `GET /v1/chains/{chainKey}/protocols` lists it. */
  readonly key: string
  readonly title: string
  readonly siteUrl: string
  /** Programs whose accounts are searched by owner, only for wallets that have used them. */
  readonly searched?: readonly SolanaAddress[]
  /**
   * `used`: the `searched` programs that the wallet has used. `leftOut` reports why a part of the protocol is missing
   * from the answer; the protocol is then named as incomplete.
   */
  positions(
    scope: SolanaScope & { used: ReadonlySet<SolanaAddress>; leftOut?(why: UpstreamError): void },
  ): Promise<PositionDraft[]>
  /** What tokens of this protocol (pool shares, staked SOL) stand for. Omits other tokens. */
  receipts?(
    scope: Omit<SolanaScope, 'wallet'> & { used: ReadonlySet<SolanaAddress> },
  ): Promise<ReadonlyMap<SolanaAddress, Receipt>>
}

/**
 * What a family's searches have found of mints, for all wallets and processes: the accounts that a mint leads to, by
 * their roles; null for a mint that is none of the family's, which is asked again after a day.
 */
export type MintLeads = {
  get(mint: SolanaAddress): MintLead | null | undefined
  set(mint: SolanaAddress, lead: MintLead | null): void
}

export type MintLead = Readonly<Record<string, SolanaAddress>>

/** Accounts of a program, by the mint of their shares. */
export type Listing = ReadonlyMap<SolanaAddress, SolanaAddress>

/** What `amountRaw` of a mint stands for, exactly, rounded as the protocol would pay it out. */
export type Receipt = { decompose(amountRaw: bigint): TokenAmount[] }
