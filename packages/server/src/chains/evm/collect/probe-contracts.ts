import type { EvmAddress } from '../../../domain/evm-address.ts'
import { isNodeFailure } from '../../../lib/upstream-error.ts'
import type { Instrument, ProtocolDeployment } from '../protocols/adapter.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import type { KnownDeployment } from './protocol-contracts.ts'

export type Probed = { found: ReadonlySet<EvmAddress>; failed: ReadonlyMap<EvmAddress, unknown> }

/** Issues every read before it returns, so that they leave with the scan. Rejects if a node fails. */
export async function probeInstruments(
  rows: readonly KnownDeployment[],
  reader: EvmReader,
  wallet: EvmAddress,
): Promise<Probed> {
  const found = new Set<EvmAddress>()
  const failed = new Map<EvmAddress, unknown>()
  const ask = async ({ probe }: ProtocolDeployment, instrument: Instrument) => {
    try {
      if (await probe?.(reader, wallet, instrument)) found.add(instrument.address)
    } catch (error) {
      if (isNodeFailure(error)) throw error
      failed.set(instrument.address, error)
    }
  }
  const probed = rows.filter(({ deployment }) => deployment.probe)
  await Promise.all(
    probed.flatMap(({ deployment, instruments = [] }) => instruments.map((one) => ask(deployment, one))),
  )
  return { found, failed }
}
