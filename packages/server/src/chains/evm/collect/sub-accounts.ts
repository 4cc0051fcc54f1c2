import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Chain } from '../../chain.ts'
import type { FurtherPositions, PositionId, ProtocolDeployment } from '../protocols/adapter.ts'
import type { EvmReader, Scan } from '../reader/evm-reader.ts'
import type { KnownDeployment } from './protocol-contracts.ts'
import { type FoundKeys, keysOf } from './wallet-keys.ts'

/** With more, the protocol is incomplete. */
const MOST_OWNERS = 256

export type FurtherScans = ReadonlyMap<ProtocolDeployment, { owners: readonly OwnerScan[]; cut: boolean }>

type OwnerScan = { address: EvmAddress; scan: Scan }

/** Issues every read before it returns, so that they leave with the wallet's scan. Rejects if a node fails. */
export async function scanSubAccounts(
  rows: readonly KnownDeployment[],
  reader: EvmReader,
  wallet: EvmAddress,
  keys: FoundKeys,
): Promise<FurtherScans> {
  const found = await Promise.all(
    rows.map(async ({ deployment, protocolContracts = [] }) => {
      const own = keysOf(deployment, keys).keys
      const all = deployment.adapter.subAccounts?.(deployment.deployment, wallet, own) ?? []
      const tokens = protocolContracts.map(({ address }) => address)
      const owners = await Promise.all(
        all.slice(0, MOST_OWNERS).map(async (address) => ({ address, scan: await reader.scan(address, tokens) })),
      )
      return [deployment, { owners, cut: all.length > MOST_OWNERS }] as const
    }),
  )
  return new Map(found.filter(([, { owners }]) => owners.length > 0))
}

function isNamedBy({ keyLogs }: ProtocolDeployment, keys: readonly PositionId[]): boolean {
  const contracts = new Set<string>(keyLogs.map(({ contract }) => contract))
  return keys.some(({ contract }) => contracts.has(contract))
}

export type MoreKeys = (chain: Chain, wallet: EvmAddress, keys: readonly PositionId[]) => Promise<FurtherPositions>

export function createMoreKeys(
  deployments: readonly ProtocolDeployment[],
  openReader: (chain: string) => EvmReader,
): MoreKeys {
  const asking = deployments.filter(({ adapter }) => adapter.moreKeys)
  return async (chain, wallet, keys) => {
    const rows = asking.filter((row) => row.chain === chain.key && isNamedBy(row, keys))
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
