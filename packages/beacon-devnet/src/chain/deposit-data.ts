import { createHash } from 'node:crypto'
import type { BeaconConfig, ChainForkConfig } from '@lodestar/config'
import { DOMAIN_BLS_TO_EXECUTION_CHANGE, DOMAIN_DEPOSIT } from '@lodestar/params'
import { computeDomain, computeSigningRoot, interopSecretKey } from '@lodestar/state-transition'
import { type capella, type phase0, ssz } from '@lodestar/types'
import type { Deposit } from '../slot-plan.ts'
import { bytesOf, seededAddress } from './seeded.ts'

const NO_ROOT = new Uint8Array(32)

export const publicKeyOf = (key: number): Uint8Array => interopSecretKey(key).toPublicKey().toBytes()

/** 32 bytes: the hash of the public key with prefix 0, else the address. */
export const credentialsOf = (key: number, prefix: number, address: string | undefined): Uint8Array => {
  const credentials = new Uint8Array(32)
  if (prefix === 0) credentials.set(createHash('sha256').update(publicKeyOf(key)).digest())
  else credentials.set(bytesOf(address ?? seededAddress('withdrawals', key)), 12)
  credentials[0] = prefix
  return credentials
}

export const depositDataOf = (config: ChainForkConfig, deposit: Deposit): phase0.DepositData => {
  const { key, amountGwei, prefix = 1, address, badSignature } = deposit
  const message = {
    pubkey: publicKeyOf(key),
    withdrawalCredentials: credentialsOf(key, prefix, address),
    amount: amountGwei,
  }
  const signed = badSignature ? { ...message, amount: amountGwei + 1 } : message
  const domain = computeDomain(DOMAIN_DEPOSIT, config.GENESIS_FORK_VERSION, NO_ROOT)
  const root = computeSigningRoot(ssz.phase0.DepositMessage, signed, domain)
  return { ...message, signature: interopSecretKey(key).sign(root).toBytes() }
}

export const credentialChangeOf = (
  config: BeaconConfig,
  { validator, address }: { validator: number; address: string },
): capella.SignedBLSToExecutionChange => {
  const message = {
    validatorIndex: validator,
    fromBlsPubkey: publicKeyOf(validator),
    toExecutionAddress: bytesOf(address),
  }
  const domain = computeDomain(
    DOMAIN_BLS_TO_EXECUTION_CHANGE,
    config.GENESIS_FORK_VERSION,
    config.genesisValidatorsRoot,
  )
  const root = computeSigningRoot(ssz.capella.BLSToExecutionChange, message, domain)
  return { message, signature: interopSecretKey(validator).sign(root).toBytes() }
}
