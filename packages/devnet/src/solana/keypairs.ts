import { createHash } from 'node:crypto'
import { createKeyPairSignerFromPrivateKeyBytes, type KeyPairSigner } from '@solana/kit'

/** Publicly known: never use it for anything of value. */
const SEED = 'coffer solana devnet'

/** The same address in every run. */
export const keypair = (name: string): Promise<KeyPairSigner> =>
  createKeyPairSignerFromPrivateKeyBytes(createHash('sha256').update(`${SEED}: ${name}`).digest())
