import { z } from 'zod'
import { type EvmAddress, evmAddress, WRITTEN_EVM_ADDRESS } from '../../../domain/evm-address.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import { codeLens } from './code-lens.bytecode.ts'

/** An address in a row; any letter case is accepted, a checksum is not needed. */
export const addressSchema = z
  .string()
  .regex(WRITTEN_EVM_ADDRESS, 'must be an address: 0x and 40 hex digits')
  .transform(evmAddress)

/**
 * Whether the row's contract exists at this block. If not (a local chain, a block before its deployment), the row has
 * no instruments, which is a fact. If it does, a refused read is a failure and never "nothing".
 */
export function isDeployed(reader: EvmReader, address: EvmAddress): Promise<boolean> {
  return reader.lens(codeLens, { functionName: 'exists', args: [address] })
}

/** What a contract answered (`tryRead`); undefined where there is none. Rejects if it is there and refused. */
export async function answerOf<T>(reader: EvmReader, address: EvmAddress, answer: Promise<T | undefined>) {
  const given = await answer
  if (given === undefined && (await isDeployed(reader, address))) throw new Error(`${address} refused to be read`)
  return given
}
