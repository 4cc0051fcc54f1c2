/** Lower case, also as a key. */
export type EvmAddress = `0x${string}`

/** Stands for the chain's own coin. */
export const NATIVE: EvmAddress = '0x0000000000000000000000000000000000000000'

/** Checksums are not verified. */
export const WRITTEN_EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** Requires a well-formed address. */
export function evmAddress(value: string): EvmAddress {
  return value.toLowerCase() as EvmAddress
}
