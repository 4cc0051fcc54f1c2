import type { EvmAddress } from '../../../domain/evm-address.ts'
import { isNodeFailure } from '../../../lib/upstream-error.ts'
import type { ProtocolContract, ProtocolDeployment } from '../protocols/adapter.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import type { KnownDeployment } from './protocol-contracts.ts'

export type Probed = { found: ReadonlySet<EvmAddress>; failed: ReadonlyMap<EvmAddress, unknown> }

/** Issues every read before it returns, so that they leave with the scan. Rejects if a node fails. */
export async function probeContracts(
  rows: readonly KnownDeployment[],
  reader: EvmReader,
  wallet: EvmAddress,
): Promise<Probed> {
  const found = new Set<EvmAddress>()
  const failed = new Map<EvmAddress, unknown>()
  const ask = async ({ adapter, deployment }: ProtocolDeployment, protocolContract: ProtocolContract) => {
    try {
      if (await adapter.probe?.({ reader, deployment, wallet, protocolContract })) found.add(protocolContract.address)
    } catch (error) {
      if (isNodeFailure(error)) throw error
      failed.set(protocolContract.address, error)
    }
  }
  const probed = rows.filter(({ deployment }) => deployment.adapter.probe)
  await Promise.all(
    probed.flatMap(({ deployment, protocolContracts = [] }) => protocolContracts.map((one) => ask(deployment, one))),
  )
  return { found, failed }
}
