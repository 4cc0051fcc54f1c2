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

/** Logs by which any contract says that a wallet has something there. It counts if a row recognises it. */
type ContractLogs = Pick<KeyLogs, 'topic' | 'walletAt'> & { contract: 'any'; walletAs?: never }

/** What a row wants searched beside tokens. */
export type SearchedLogs = KeyLogs | ContractLogs

export const isKeyLogs = (logs: SearchedLogs): logs is KeyLogs => logs.contract !== 'any'

/** Names searched logs among others. */
export function searchedLogsName(logs: SearchedLogs): string {
  if (!isKeyLogs(logs)) return [logs.contract, logs.topic, logs.walletAt].join(' ')
  const { contract, topic, walletAt, keyAt, walletAs, contractAt, differing } = logs
  const more = [walletAs, contractAt, differing].filter((part) => part !== undefined)
  return [contract, topic, walletAt, keyAt, ...more].join(' ')
}
