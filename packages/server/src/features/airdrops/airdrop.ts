import type { IncompleteReason } from '@coffer/contract'
import type { SolanaAddress } from '../../domain/solana-address.ts'
import type { AirdropProtocol } from '../../kinds/solana/distributors/distributor-programs.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'

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
  distributor: SolanaAddress
  mint: SolanaAddress
  /** What its source calls the token. */
  token?: { symbol: string; name: string }
  parts: readonly AirdropPart[]
}

/** What could not be read. `source`: the source's key, or on chain the address of a program or distributor. */
export type AirdropGap = { protocol: string; source: string; reason: IncompleteReason }

/** The reason shown for a failure. Rethrows anything but an upstream's failure, which is a bug. */
export function reasonOf(error: unknown): IncompleteReason {
  if (!(error instanceof UpstreamError)) throw error
  if (error.reason === 'timeout') return 'time-limit'
  return error.reason === 'not-allowed' ? 'not-allowed' : 'unreadable'
}
