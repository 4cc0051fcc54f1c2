import type { WalletRead } from '../domain/wallet-read.ts'

/**
 * A read, and what it knows of the next one. `plan`: JSON that the kind wants back with the next read of the wallet.
 * `hash`: of its block, where the chain has one.
 */
export type Collected = { read: WalletRead; plan: readonly unknown[]; hash: string | null }

/**
 * `asked`: tokens whose balance was read, or is shown by another contract, and names of keys that were read; absent if
 * everything of the wallet was.
 */
export type CollectedNow = Collected & { asked?: ReadonlySet<string> }

/** A block to read at instead of the latest. `timestamp`: its time in Unix seconds. */
export type PastBlock = { number: bigint; timestamp: number }
