import { z } from 'zod'
import { type EvmAddress, evmAddress, WRITTEN_EVM_ADDRESS } from '../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../domain/position.ts'
import { isNodeFailure } from '../../../lib/upstream-error.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import type { HeldContract, LeftOut, PositionScope, ProtocolAdapter, ProtocolContract } from './adapter.ts'
import { codeLens } from './code-lens.bytecode.ts'
import assets from './core-assets.json' with { type: 'json' }

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

/**
 * Their pairs are searched without a wallet. Sources: @aave-dao/aave-address-book,
 * @beefyfinance/blockchain-addressbook.
 */
export const coreAssets: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(assets).map(([chain, bySymbol]) => [chain, Object.values(bySymbol)]),
)

export function eachAlone<D>(
  read: (scope: PositionScope<D>, held: HeldContract) => Promise<PositionDraft | readonly PositionDraft[]>,
): ProtocolAdapter<D>['positions'] {
  return (scope) =>
    readAlone(scope.held, scope.leftOut, async (protocolContract) => [await read(scope, protocolContract)].flat())
}

/** Leaves out and reports a contract that refuses; a node failure rejects. */
export async function readAlone<T>(
  held: readonly HeldContract[],
  leftOut: LeftOut,
  read: (protocolContract: HeldContract) => Promise<readonly T[]>,
): Promise<T[]> {
  const found = await Promise.all(
    held.map(async (protocolContract) => {
      try {
        return await read(protocolContract)
      } catch (error) {
        if (isNodeFailure(error)) throw error
        leftOut(error, protocolContract)
        return []
      }
    }),
  )
  return found.flat()
}
