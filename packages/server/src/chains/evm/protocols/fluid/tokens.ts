import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'

/** Placeholder for the native coin. */
const COIN: EvmAddress = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

export function tokenOf(address: string): EvmAddress {
  const token = evmAddress(address)
  return token === COIN ? NATIVE : token
}
