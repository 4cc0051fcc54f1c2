import type { IncompleteReason } from '@coffer/contract'
import type { SolanaAddress } from '../../domain/solana-address.ts'
import type { AirdropProtocol } from '../../kinds/solana/distributors/distributor-programs.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'

/** A part of an airdrop, in base units. */
export type AirdropPart = {
  amountRaw: bigint
  /** It can be claimed now. */
  isClaimable: boolean
  /** Unix seconds at which it can be; absent where it can now, and where nobody knows. */
  unlockAt?: number
}

/** What a wallet still has to come from one distributor. */
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

/** What could not be found out, and who should have told: a source by its key, the chain by a program's address. */
export type AirdropGap = { protocol: string; source: string; reason: IncompleteReason }

/** A failure as it is told. Anything but an upstream's is a bug and thrown on. */
export function reasonOf(error: unknown): IncompleteReason {
  if (!(error instanceof UpstreamError)) throw error
  if (error.reason === 'timeout') return 'time-limit'
  return error.reason === 'not-allowed' ? 'not-allowed' : 'unreadable'
}
