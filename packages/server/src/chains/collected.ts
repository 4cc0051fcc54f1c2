import type { WalletRead } from '../domain/wallet-read.ts'

/** `plan`: JSON for the next read of the wallet. `hash`: of the block, if the chain has one. */
export type Collected = { read: WalletRead; plan: readonly unknown[]; hash: string | null }

/**
 * `asked`: tokens whose balance was read or another contract shows, and position IDs; absent if everything was read.
 */
export type CollectedNow = Collected & { asked?: ReadonlySet<string> }

/** `timestamp` in Unix seconds; absent: read along with the block. */
export type PastBlock = { number: bigint; timestamp?: number }
