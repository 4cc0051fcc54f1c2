import type { PositionDraft, TokenAmount } from '../../../domain/position.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { UpstreamError } from '../../../lib/upstream-error.ts'
import type { SolanaClock, SolanaReader } from '../reader/solana-reader.ts'

/** A token of a wallet: the sum over its accounts of one mint. `decimals` is undefined where no process read the mint before. */
export type HeldMint = { mint: SolanaAddress; amountRaw: bigint; decimals: number | undefined }

/** What a family is given of a wallet. `held`: every mint with a balance, position NFTs among them. */
export type SolanaScope = {
  reader: SolanaReader
  wallet: SolanaAddress
  clock: SolanaClock
  held: readonly HeldMint[]
}

/**
 * The logic of a protocol on Solana, as functions over a reader: no prices, no clock of its own, no I/O of its own, no
 * swallowed failures. One that cannot read rejects, and the collector keeps its last good positions. An account whose
 * layout or version is not known is an error, never nothing.
 *
 * Reads are issued before the first answer is awaited: those of one tick share a call, and each tick more is a trip more.
 * There are two trips at most: what the wallet's addresses and mints lead to, and what that leads to.
 */
export type SolanaFamily = {
  readonly name: string
  /** Key and name of the protocol, as `GET /v1/chains/{chainKey}/protocols` lists it. */
  readonly key: string
  readonly title: string
  readonly siteUrl: string
  /** Programs of which accounts are searched by their owner: asked only for wallets that have used them. */
  readonly searched?: readonly SolanaAddress[]
  /**
   * `used`: those of `searched` that the wallet has used. `leftOut` says why a part of the protocol is not in the answer,
   * although the rest of it is: the protocol is then named as incomplete.
   */
  positions(
    scope: SolanaScope & { used: ReadonlySet<SolanaAddress>; leftOut?(why: UpstreamError): void },
  ): Promise<PositionDraft[]>
  /** What tokens of this protocol (pool shares, staked SOL) stand for; those that are not of it are left out. */
  receipts?(
    scope: Omit<SolanaScope, 'wallet'> & { used: ReadonlySet<SolanaAddress> },
  ): Promise<ReadonlyMap<SolanaAddress, Receipt>>
}

/** What `amountRaw` of a mint stands for, exactly, rounded as the protocol would pay it out. */
export type Receipt = { decompose(amountRaw: bigint): TokenAmount[] }
