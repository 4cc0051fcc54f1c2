import { sha256 } from '@noble/hashes/sha2'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { addressBytes, addressOf } from './address-bytes.ts'
import { isOnCurve } from './ed25519-curve.ts'

export type ProgramSeed = Uint8Array | string

const MAX_SEEDS = 15
const MAX_SEED_BYTES = 32
const MAX_BUMP = 255
const ADDRESS_BYTES = 32
const text = new TextEncoder()
const MARKER = text.encode('ProgramDerivedAddress')

/** Little-endian. */
export function integerSeed(value: number | bigint, bytes: 1 | 2 | 4 | 8): Uint8Array {
  const seed = new Uint8Array(8)
  new DataView(seed.buffer).setBigUint64(0, BigInt(value), true)
  return seed.subarray(0, bytes)
}

/** Signed, as in Raydium's programs. */
export function bigEndianSeed(value: number, bytes: 2 | 4): Uint8Array {
  const seed = new Uint8Array(4)
  new DataView(seed.buffer).setInt32(0, value)
  return seed.subarray(4 - bytes)
}

/**
 * Tries bumps from 255 down until no key can sign for the address. Seeds: at most 15 of 32 bytes. Synchronous: reads
 * are issued in the tick of the call.
 */
export function programAddress(program: SolanaAddress, seeds: readonly ProgramSeed[]): SolanaAddress {
  const parts = seeds.map((seed) => (typeof seed === 'string' ? text.encode(seed) : seed))
  if (parts.length > MAX_SEEDS) throw new RangeError(`${parts.length} seeds are more than ${MAX_SEEDS}`)
  const long = parts.find(({ length }) => length > MAX_SEED_BYTES)
  if (long) throw new RangeError(`a seed of ${long.length} bytes is longer than ${MAX_SEED_BYTES}`)
  const hashed = Buffer.concat([...parts, Uint8Array.of(MAX_BUMP), addressBytes(program), MARKER])
  const bumpAt = hashed.length - MARKER.length - ADDRESS_BYTES - 1
  for (let bump = MAX_BUMP; bump >= 0; bump -= 1) {
    hashed[bumpAt] = bump
    const derived = sha256(hashed)
    if (!isOnCurve(derived)) return addressOf(derived)
  }
  throw new RangeError('no bump leads off the curve')
}
