import { address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit'
import type { SolanaAddress } from './solana-address.ts'

/** A seed as the program has it: raw bytes, or a text in UTF-8. An address is `addressSeed`. */
export type ProgramSeed = Uint8Array | string

const addressEncoder = getAddressEncoder()

/** The 32 bytes of an address. */
export function addressSeed(value: SolanaAddress): Uint8Array {
  return new Uint8Array(addressEncoder.encode(address(value)))
}

/** An integer of 1, 2, 4 or 8 bytes, little-endian. */
export function integerSeed(value: number | bigint, bytes: 1 | 2 | 4 | 8): Uint8Array {
  const seed = new Uint8Array(8)
  new DataView(seed.buffer).setBigUint64(0, BigInt(value), true)
  return seed.subarray(0, bytes)
}

/**
 * The address that a program derives from seeds: the first, from bump 255 down, that no key can sign for. The same
 * everywhere, so that an account is found without a search. Throws where a seed is longer than 32 bytes or there are
 * more than 15.
 */
export async function programAddress(program: SolanaAddress, seeds: readonly ProgramSeed[]): Promise<SolanaAddress> {
  const [derived] = await getProgramDerivedAddress({ programAddress: address(program), seeds: [...seeds] })
  return derived
}
