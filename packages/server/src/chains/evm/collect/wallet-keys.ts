import { createHash } from 'node:crypto'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Chain } from '../../chain.ts'
import { isKeyLogs, type SearchedLogs, searchedLogsName, UNITS_TRANSFER } from '../logs/logs.ts'
import type { FurtherPositions, KnownDeployment, PositionId, ProtocolDeployment } from '../protocols/adapter.ts'
import type { EvmReader, Scan } from '../reader/evm-reader.ts'

/** In block order. `cut`: contracts with more position IDs than are read. */
export type FoundKeys = { keys: PositionId[]; cut: ReadonlySet<EvmAddress> }

/** `id` names the set in storage. */
export type SearchedKeys = { id: string; logs: readonly SearchedLogs[]; contracts: readonly EvmAddress[] }

const ID_CHARS = 16

/** ERC-404 units arrive without their own `Transfer`. */
const UNITS: SearchedLogs = { contract: 'any', topic: UNITS_TRANSFER, walletAt: 2 }

export function searchedKeys(keyLogs: readonly SearchedLogs[]): SearchedKeys {
  const all = [UNITS, ...keyLogs]
  const byText = new Map(all.map((log) => [searchedLogsName(log), log]))
  const texts = [...byText.keys()].sort()
  const id = createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, ID_CHARS)
  return { id, logs: [...byText.values()], contracts: [...new Set(contractsOf(all))] }
}

const contractsOf = (logs: readonly SearchedLogs[]) => logs.flatMap((log) => (isKeyLogs(log) ? [log.contract] : []))

export function keysOf({ keyLogs }: ProtocolDeployment, { keys, cut }: FoundKeys) {
  const contracts = new Set(contractsOf(keyLogs))
  return {
    keys: keys.filter(({ contract }) => contracts.has(contract)),
    cut: [...cut].filter((contract) => contracts.has(contract)),
  }
}

export const keyName = ({ contract, key }: PositionId): string => `${contract} ${key}`

const MOST_OWNERS = 256

export type FurtherScans = ReadonlyMap<
  ProtocolDeployment,
  { owners: readonly { address: EvmAddress; scan: Scan }[]; cut: boolean }
>

/** Issues every read before it returns, to leave with the scan. Rejects if a node fails. */
export async function scanSubAccounts(
  rows: readonly KnownDeployment[],
  reader: EvmReader,
  wallet: EvmAddress,
  keys: FoundKeys,
): Promise<FurtherScans> {
  const found = await Promise.all(
    rows.map(async ({ deployment, protocolContracts = [] }) => {
      const all = deployment.adapter.subAccounts?.(deployment.deployment, wallet, keysOf(deployment, keys).keys) ?? []
      const tokens = protocolContracts.map(({ address }) => address)
      const owners = await Promise.all(
        all.slice(0, MOST_OWNERS).map(async (address) => ({ address, scan: await reader.scan(address, tokens) })),
      )
      return [deployment, { owners, cut: all.length > MOST_OWNERS }] as const
    }),
  )
  return new Map(found.filter(([, { owners }]) => owners.length > 0))
}

export type MoreKeys = (chain: Chain, wallet: EvmAddress, keys: readonly PositionId[]) => Promise<FurtherPositions>

export function createMoreKeys(
  deployments: readonly ProtocolDeployment[],
  openReader: (chain: string) => EvmReader,
): MoreKeys {
  const asking = deployments.filter(({ adapter }) => adapter.moreKeys)
  return async (chain, wallet, keys) => {
    const named = new Set<string>(keys.map(({ contract }) => contract))
    const isNamed = ({ keyLogs }: ProtocolDeployment) => keyLogs.some(({ contract }) => named.has(contract))
    const rows = asking.filter((row) => row.chain === chain.key && isNamed(row))
    if (rows.length === 0) return { keys: [], contracts: [] }
    const reader = openReader(chain.key)
    const found = await Promise.all(
      rows.map(({ adapter, deployment }) => adapter.moreKeys?.({ reader, deployment, wallet })),
    )
    return {
      keys: found.flatMap((more) => more?.keys ?? []),
      contracts: found.flatMap((more) => more?.contracts ?? []),
    }
  }
}
