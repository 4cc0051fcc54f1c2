import { createHash } from 'node:crypto'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { addressBytes } from '../codec/address.ts'

/** Base units. `lockedRaw` vests. */
export type Allocation = { unlockedRaw: bigint; lockedRaw: bigint }

export type AllocatedTo = Allocation & { claimant: SolanaAddress }

/** A leaf cannot pass for a pair. */
const LEAF = Uint8Array.of(0)
const PAIR = Uint8Array.of(1)
const U64_BYTES = 8

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

function u64(amountRaw: bigint): Uint8Array {
  const bytes = Buffer.alloc(U64_BYTES)
  bytes.writeBigUInt64LE(amountRaw)
  return bytes
}

/** sha256(0x00 ‖ sha256(claimant ‖ unlocked ‖ locked)), amounts little-endian, as in Jito's program and its forks. */
export function leafHash({ claimant, unlockedRaw, lockedRaw }: AllocatedTo): Uint8Array {
  return sha256(LEAF, sha256(addressBytes(claimant), u64(unlockedRaw), u64(lockedRaw)))
}

/** sha256(0x01 ‖ smaller ‖ larger): the order makes sides unnecessary. */
function pairHash(one: Uint8Array, other: Uint8Array): Uint8Array {
  return Buffer.compare(one, other) <= 0 ? sha256(PAIR, one, other) : sha256(PAIR, other, one)
}

export function isProven(allocation: AllocatedTo, proof: readonly Uint8Array[], root: Uint8Array): boolean {
  return Buffer.compare(proof.reduce(pairHash, leafHash(allocation)), root) === 0
}

/** The last of an odd level is paired with itself. Undefined for an empty list. */
export function merkleRoot(allocations: Iterable<AllocatedTo>): Uint8Array | undefined {
  let level = Array.from(allocations, leafHash)
  while (level.length > 1) {
    const pairs: Uint8Array[] = []
    for (let at = 0; at < level.length; at += 2) {
      const left = level[at] as Uint8Array
      pairs.push(pairHash(left, level[at + 1] ?? left))
    }
    level = pairs
  }
  return level[0]
}
