import { bls12_381 as bls } from '@noble/curves/bls12-381.js'
import { sha256 } from '@noble/hashes/sha2'
import { bytesOf } from '../lib/hex-bytes.ts'

/** Hex of 48, 32 and 96 bytes. */
export type SignedDeposit = { pubkey: string; withdrawalCredentials: string; amountGwei: bigint; signature: string }

const DOMAIN_DEPOSIT = '03000000'
const CIPHERSUITE = 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_'
const CHUNK_BYTES = 32
const FORK_DIGEST_BYTES = 28

/** False: the deposit creates no validator and loses its money. Deposits use the genesis fork only. */
export function isDepositSigned(deposit: SignedDeposit, genesisForkVersion: string): boolean {
  try {
    const root = signingRoot(deposit, genesisForkVersion)
    return bls.verify(deposit.signature.slice(2), root, deposit.pubkey.slice(2), { DST: CIPHERSUITE })
  } catch {
    return false
  }
}

function signingRoot({ pubkey, withdrawalCredentials, amountGwei }: SignedDeposit, forkVersion: string): Uint8Array {
  const amount = Buffer.alloc(CHUNK_BYTES)
  amount.writeBigUInt64LE(amountGwei)
  const key = bytesOf(pubkey)
  const message = hashOf(
    hashOf(hashOf(key.subarray(0, CHUNK_BYTES), key.subarray(CHUNK_BYTES)), bytesOf(withdrawalCredentials)),
    hashOf(amount, Buffer.alloc(CHUNK_BYTES)),
  )
  const fork = hashOf(bytesOf(forkVersion), Buffer.alloc(CHUNK_BYTES))
  return hashOf(message, Buffer.concat([bytesOf(`0x${DOMAIN_DEPOSIT}`), fork.subarray(0, FORK_DIGEST_BYTES)]))
}

function hashOf(left: Uint8Array, right: Uint8Array): Uint8Array {
  const chunks = Buffer.alloc(2 * CHUNK_BYTES)
  chunks.set(left, 0)
  chunks.set(right, CHUNK_BYTES)
  return sha256(chunks)
}
