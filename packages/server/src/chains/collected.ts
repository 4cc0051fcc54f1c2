import type { Address } from '../domain/address.ts'
import type { WalletRead } from '../domain/wallet-read.ts'
import type { Chain } from './chain.ts'
import type { BlockAtTime } from './seen-block.ts'

/** `plan`: JSON for the next read of the wallet. `hash`: of the block, if the chain has one. */
export type Collected = { read: WalletRead; plan: readonly unknown[]; hash: string | null }

/**
 * `asked`: tokens whose balance was read or another contract shows, and position IDs; absent if everything was read.
 */
export type CollectedNow = Collected & { asked?: ReadonlySet<string> }

/** `timestamp` in Unix seconds. */
export type PastBlock = { number: bigint; timestamp: number }

/** In Unix seconds. Rejects with `UpstreamError`. */
export type DayReading =
  | {
      readonly kept: true
      blockAt(chain: string, timestamp: number): Promise<BlockAtTime>
      collectAt(chain: Chain, wallet: Address, block: PastBlock): Promise<Collected>
    }
  | {
      /** Nodes serve only the present state. */
      readonly kept: false
      timeOf(chain: string): Promise<number>
      collectFinal(chain: Chain, wallet: Address): Promise<WalletRead>
    }
