import { z } from 'zod'
import { type EvmAddress, evmAddress, WRITTEN_EVM_ADDRESS } from '../../../domain/evm-address.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import type { ProtocolContract } from './adapter.ts'
import { codeLens } from './code-lens.bytecode.ts'

/** Accepts any letter case, without a checksum. */
export const addressSchema = z
  .string()
  .regex(WRITTEN_EVM_ADDRESS, 'must be an address: 0x and 40 hex digits')
  .transform(evmAddress)

/** If true, a refused read is a failure, never "nothing". */
export function isDeployed(reader: EvmReader, address: EvmAddress): Promise<boolean> {
  return reader.lens(codeLens, { functionName: 'exists', args: [address] })
}

export async function deployedOf(reader: EvmReader, contracts: readonly ProtocolContract[]) {
  const flags = await Promise.all(contracts.map(({ address }) => isDeployed(reader, address)))
  return contracts.filter((_, i) => flags[i])
}

/** Lists the contracts of each address that is deployed. */
export async function discoverEach(
  reader: EvmReader,
  addresses: readonly EvmAddress[],
  discover: (address: EvmAddress) => Promise<ProtocolContract | ProtocolContract[]>,
): Promise<ProtocolContract[]> {
  const found = await Promise.all(
    addresses.map(async (address) => ((await isDeployed(reader, address)) ? discover(address) : [])),
  )
  return found.flat()
}

/** Undefined without a contract. Rejects if the contract exists and refused. */
export async function answerOf<T>(reader: EvmReader, address: EvmAddress, answer: Promise<T | undefined>) {
  const given = await answer
  if (given === undefined && (await isDeployed(reader, address))) throw new Error(`${address} refused to be read`)
  return given
}
