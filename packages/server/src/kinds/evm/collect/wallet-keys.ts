import { createHash } from 'node:crypto'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { StoredKeys } from '../../stores.ts'
import type { Adapter, WalletKey } from '../families/family.ts'
import { UNITS_TRANSFER } from '../logs/erc20-events.ts'
import { isKeyLogs, type SearchedLogs, searchedLogsName } from '../logs/key-logs.ts'

/** Keys that logs named for a wallet, in the order of their blocks. `cut`: contracts with more keys than are read. */
export type FoundKeys = StoredKeys

/** Logs that are searched on a chain in addition to transfers of tokens. `id` names the set in storage. */
export type SearchedKeys = { id: string; logs: readonly SearchedLogs[]; contracts: readonly EvmAddress[] }

const ID_CHARS = 16

/** Units of ERC-404, which arrive without a `Transfer` of theirs. */
const UNITS: SearchedLogs = { contract: 'any', topic: UNITS_TRANSFER, walletAt: 2 }

/** Searched logs of a chain's rows, each once, and those of units. */
export function searchedKeys(adapters: readonly Pick<Adapter, 'keyLogs'>[]): SearchedKeys {
  const all = [UNITS, ...adapters.flatMap(({ keyLogs }) => keyLogs)]
  const byText = new Map(all.map((log) => [searchedLogsName(log), log]))
  const texts = [...byText.keys()].sort()
  const id = createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, ID_CHARS)
  return {
    id,
    logs: [...byText.values()],
    contracts: [...new Set(contractsOf(all))],
  }
}

const contractsOf = (logs: readonly SearchedLogs[]) => logs.flatMap((log) => (isKeyLogs(log) ? [log.contract] : []))

/** Those of a row's contracts. */
export function keysOf({ keyLogs }: Pick<Adapter, 'keyLogs'>, { keys, cut }: FoundKeys) {
  const contracts = new Set(contractsOf(keyLogs))
  return {
    keys: keys.filter(({ contract }) => contracts.has(contract)),
    cut: [...cut].filter((contract) => contracts.has(contract)),
  }
}

/** Names a key among what a read asked about. */
export const keyName = ({ contract, key }: WalletKey): string => `${contract} ${key}`
