import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Hex } from '../rpc-values.ts'

/** Logs by which a contract gives a wallet something under a key: the id of an NFT, of a market. */
export type KeyLogs = {
  /** The contract that logs it and keeps it. */
  contract: EvmAddress
  /** The event. */
  topic: Hex
  /** Which topic (1 to 3) names the wallet, and which one is the key. */
  walletAt: 1 | 2 | 3
  keyAt: 1 | 2 | 3
}
