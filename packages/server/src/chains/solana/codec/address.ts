import { randomBytes } from 'node:crypto'
import { sha256 } from '@noble/hashes/sha2'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { isOnCurve } from './ed25519-curve.ts'

const ADDRESS_BYTES = 32
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
/** 16 words of 16 bits and 9 limbs of five digits: products are exact in a double. */
const WORDS = 16
const WORD = 65_536
const LIMBS = 9
const LIMB_DIGITS = 5
const LIMB = 58 ** LIMB_DIGITS
const DIGITS = LIMBS * LIMB_DIGITS

const charOf = Uint8Array.from(ALPHABET, (char) => char.charCodeAt(0))
const digitOf = new Int8Array(128).fill(-1)
for (const [digit, char] of charOf.entries()) digitOf[char] = digit

const limbsOfWord = Array.from({ length: WORDS }, (_, place) => digitsOf(BigInt(WORD), WORDS - 1 - place, LIMB, LIMBS))
const wordsOfLimb = Array.from({ length: LIMBS }, (_, place) => digitsOf(BigInt(LIMB), LIMBS - 1 - place, WORD, WORDS))

function digitsOf(base: bigint, exponent: number, radix: number, length: number): Float64Array {
  const digits = new Float64Array(length)
  let rest = base ** BigInt(exponent)
  for (let i = length - 1; i >= 0; i -= 1) {
    digits[i] = Number(rest % BigInt(radix))
    rest /= BigInt(radix)
  }
  return digits
}

export function addressOf(bytes: Uint8Array): SolanaAddress {
  if (bytes.length !== ADDRESS_BYTES) throw new RangeError(`an address has ${ADDRESS_BYTES} bytes, not ${bytes.length}`)
  const limbs = new Float64Array(LIMBS)
  for (let i = 0; i < WORDS; i += 1) {
    const word = ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)
    addTimes(limbs, limbsOfWord[i], word)
  }
  carry(limbs, LIMB)
  const text = Buffer.allocUnsafe(DIGITS)
  for (let i = 0; i < LIMBS; i += 1) {
    let limb = limbs[i] ?? 0
    for (let j = LIMB_DIGITS - 1; j >= 0; j -= 1) {
      text[i * LIMB_DIGITS + j] = charOf[limb % 58] ?? 0
      limb = Math.floor(limb / 58)
    }
  }
  // Each leading zero byte is one digit of zero.
  const zeros = leading(bytes, 0)
  return text.toString('latin1', leading(text, charOf[0] ?? 0) - zeros)
}

export const randomAddress = (): SolanaAddress => addressOf(randomBytes(ADDRESS_BYTES))

/** Throws `RangeError` on an invalid address. */
export function addressBytes(address: SolanaAddress): Uint8Array {
  if (address.length > DIGITS) throw noAddress(address)
  const words = new Float64Array(WORDS)
  for (let i = 0; i < LIMBS; i += 1) addTimes(words, wordsOfLimb[i], limbAt(address, i))
  const above = carry(words, WORD)
  const bytes = new Uint8Array(ADDRESS_BYTES)
  for (let i = 0; i < WORDS; i += 1) {
    bytes[2 * i] = (words[i] ?? 0) >> 8
    bytes[2 * i + 1] = words[i] ?? 0
  }
  let ones = 0
  while (address[ones] === ALPHABET[0]) ones += 1
  if (above > 0 || ones !== leading(bytes, 0)) throw noAddress(address)
  return bytes
}

export function isSolanaAddress(text: string): boolean {
  try {
    return addressBytes(text).length === ADDRESS_BYTES
  } catch {
    return false
  }
}

function limbAt(address: string, place: number): number {
  const end = (place + 1) * LIMB_DIGITS - (DIGITS - address.length)
  let limb = 0
  for (let i = Math.max(0, end - LIMB_DIGITS); i < end; i += 1) {
    const digit = digitOf[address.charCodeAt(i)] ?? -1
    if (digit < 0) throw noAddress(address)
    limb = limb * 58 + digit
  }
  return limb
}

function noAddress(text: string): RangeError {
  return new RangeError(`${text} is no address`)
}

function addTimes(sums: Float64Array, row: Float64Array | undefined, factor: number): void {
  for (let i = 0; i < sums.length; i += 1) sums[i] = (sums[i] ?? 0) + (row?.[i] ?? 0) * factor
}

function carry(places: Float64Array, radix: number): number {
  let over = 0
  for (let i = places.length - 1; i >= 0; i -= 1) {
    const sum = (places[i] ?? 0) + over
    over = Math.floor(sum / radix)
    places[i] = sum - over * radix
  }
  return over
}

function leading(bytes: Uint8Array, value: number): number {
  let count = 0
  while (count < bytes.length && bytes[count] === value) count += 1
  return count
}

const MAX_SEEDS = 15
const MAX_SEED_BYTES = 32
const MAX_BUMP = 255
const encoder = new TextEncoder()
const MARKER = encoder.encode('ProgramDerivedAddress')

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

const REMEMBERED = 20_000

/** Deriving an address costs more than storing it. */
export function remembered<A>(derive: (key: string) => A): (key: string) => A {
  const known = new BoundedMap<string, A>(REMEMBERED)
  return (key) => {
    const derived = known.get(key) ?? derive(key)
    known.set(key, derived)
    return derived
  }
}

/** Tries bumps from 255 down until no key can sign. Synchronous: reads leave in the tick of the call. */
export function programAddress(program: SolanaAddress, seeds: readonly (Uint8Array | string)[]): SolanaAddress {
  const parts = seeds.map((seed) => (typeof seed === 'string' ? encoder.encode(seed) : seed))
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
