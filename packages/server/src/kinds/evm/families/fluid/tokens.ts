import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'

/** Stands for the native coin in Fluid's contracts. */
const COIN: EvmAddress = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** A token as Fluid names it. */
export function tokenOf(address: string): EvmAddress {
  const token = evmAddress(address)
  return token === COIN ? NATIVE : token
}
