import { createHash } from 'node:crypto'
import { createKeyPairSignerFromPrivateKeyBytes, type KeyPairSigner } from '@solana/kit'

/** Of this local chain alone; known to everybody, so nothing of value may ever stand behind it. */
const SEED = 'coffer solana devnet'

/** A key pair that follows from its name: the same address in every run. */
export const keypair = (name: string): Promise<KeyPairSigner> =>
  createKeyPairSignerFromPrivateKeyBytes(createHash('sha256').update(`${SEED}: ${name}`).digest())
