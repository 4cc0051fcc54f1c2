import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Hex } from '../rpc-values.ts'

type Place = 1 | 2 | 3

/** Logs that give a wallet a position ID. */
export type KeyLogs = {
  contract: EvmAddress
  topic: Hex
  /** `data`: the position ID is its first word. */
  walletAt: Place
  keyAt: Place | 'data'
  /** `prefix`: the first 19 bytes, which sub-accounts share. */
  walletAs?: 'prefix'
  /** Topic of a contract, which a deployment must recognise. */
  contractAt?: Place
  differing?: readonly [Place, Place]
}

/** With `any`, a deployment must recognise the contract. */
export type SearchedLogs = KeyLogs | { contract: 'any'; topic: Hex; walletAt: Place; walletAs?: never }

export const isKeyLogs = (logs: SearchedLogs): logs is KeyLogs => logs.contract !== 'any'

export function searchedLogsName(logs: SearchedLogs): string {
  if (!isKeyLogs(logs)) return [logs.contract, logs.topic, logs.walletAt].join(' ')
  const { contract, topic, walletAt, keyAt, walletAs, contractAt, differing } = logs
  const more = [walletAs, contractAt, differing].filter((part) => part !== undefined)
  return [contract, topic, walletAt, keyAt, ...more].join(' ')
}
