import { createHash } from 'node:crypto'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { StoredKeys } from '../../stores.ts'
import { UNITS_TRANSFER } from '../logs/erc20-events.ts'
import { isKeyLogs, type SearchedLogs, searchedLogsName } from '../logs/key-logs.ts'
import type { PositionId, ProtocolDeployment } from '../protocols/adapter.ts'

/** In block order. `cut`: contracts with more position IDs than are read. */
export type FoundKeys = StoredKeys

/** `id` names the set in storage. */
export type SearchedKeys = { id: string; logs: readonly SearchedLogs[]; contracts: readonly EvmAddress[] }

const ID_CHARS = 16

/** ERC-404 units arrive without their own `Transfer`. */
const UNITS: SearchedLogs = { contract: 'any', topic: UNITS_TRANSFER, walletAt: 2 }

export function searchedKeys(deployments: readonly Pick<ProtocolDeployment, 'keyLogs'>[]): SearchedKeys {
  const all = [UNITS, ...deployments.flatMap(({ keyLogs }) => keyLogs)]
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

export function keysOf({ keyLogs }: Pick<ProtocolDeployment, 'keyLogs'>, { keys, cut }: FoundKeys) {
  const contracts = new Set(contractsOf(keyLogs))
  return {
    keys: keys.filter(({ contract }) => contracts.has(contract)),
    cut: [...cut].filter((contract) => contracts.has(contract)),
  }
}

export const keyName = ({ contract, key }: PositionId): string => `${contract} ${key}`
