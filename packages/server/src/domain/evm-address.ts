/** A 20-byte address: `0x` and 40 lower-case hex digits. Keys of maps and rows are always in this form. */
export type EvmAddress = `0x${string}`

/** Stands for the chain's own coin wherever a token address is expected. */
export const NATIVE: EvmAddress = '0x0000000000000000000000000000000000000000'

/** An address as people write it, in any letter case; a checksum is not looked at. */
export const WRITTEN_EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** Lower-cases an address that is already known to be well formed (a contract's answer, a row of the catalog). */
export function evmAddress(value: string): EvmAddress {
  return value.toLowerCase() as EvmAddress
}
