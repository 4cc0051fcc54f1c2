import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Hex } from '../rpc-values.ts'

type Place = 1 | 2 | 3

/** Logs by which a contract gives a wallet something under a key: the id of an NFT, of a market, an account. */
export type KeyLogs = {
  /** The contract that logs it and keeps it. */
  contract: EvmAddress
  /** The event. */
  topic: Hex
  /** Which topic (1 to 3) names the wallet, and which one is the key; `data`: its first word is. */
  walletAt: Place
  keyAt: Place | 'data'
  /** How the topic names the wallet; `prefix`: by its first 19 bytes, which its sub-accounts share (`bytes19`). */
  walletAs?: 'prefix'
  /** Which topic names a contract where the wallet may have something. It counts if a row recognises it. */
  contractAt?: Place
  /** Two topics that differ in logs that count. */
  differing?: readonly [Place, Place]
}

/** Names key logs among others. */
export const keyLogsName = ({ contract, topic, walletAt, keyAt, walletAs, contractAt, differing }: KeyLogs): string =>
  [contract, topic, walletAt, keyAt, ...[walletAs, contractAt, differing].filter((part) => part !== undefined)].join(
    ' ',
  )
