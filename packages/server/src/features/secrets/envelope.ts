import { type CipherKey, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { MasterKey } from './master-keys.ts'

const CIPHER = 'aes-256-gcm'
const DATA_KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

export type Belonging = { readonly purpose: string } & ({ readonly accountId: string } | { readonly userId: string })
/** Decryption with another binding fails. */
export type Binding = Belonging & { readonly id: string }

/** Encrypted with the master key `keyId`. */
export type WrappedKey = { keyId: Buffer; keyNonce: Buffer; wrappedKey: Buffer }

export type Envelope = WrappedKey & { nonce: Buffer; ciphertext: Buffer }

/** AES-256-GCM with a new data key, which the master key encrypts. */
export function seal(text: string, binding: Binding, masterKey: MasterKey): Envelope {
  const dataKey = randomBytes(DATA_KEY_BYTES)
  const { nonce, ciphertext } = encrypt(dataKey, Buffer.from(text), textContext(binding))
  return { ...wrap(dataKey, binding, masterKey), nonce, ciphertext }
}

/** Throws if any byte, the binding or the master key differs. */
export function unseal(envelope: Envelope, binding: Binding, masterKey: MasterKey): string {
  return decrypt(unwrap(envelope, binding, masterKey), envelope, textContext(binding)).toString()
}

/** Leaves the text unchanged. Throws as `unseal` does. */
export function rewrap(wrapped: WrappedKey, binding: Binding, from: MasterKey, to: MasterKey): WrappedKey {
  return wrap(unwrap(wrapped, binding, from), binding, to)
}

function wrap(dataKey: Buffer, binding: Binding, { id, wrapping }: MasterKey): WrappedKey {
  const { nonce, ciphertext } = encrypt(wrapping, dataKey, keyContext(binding, id))
  return { keyId: id, keyNonce: nonce, wrappedKey: ciphertext }
}

function unwrap({ keyNonce, wrappedKey }: WrappedKey, binding: Binding, { id, wrapping }: MasterKey): Buffer {
  return decrypt(wrapping, { nonce: keyNonce, ciphertext: wrappedKey }, keyContext(binding, id))
}

/** Different lists never share a spelling. */
const context = (...parts: string[]) => Buffer.from(JSON.stringify(['coffer secret', ...parts]))
const keyContext = ({ id, purpose, ...owner }: Binding, keyId: Buffer) =>
  context('data key', id, nameOf(owner), purpose, keyId.toString('hex'))
/** Without the master key's ID, so that a rotation leaves the text unchanged. */
const textContext = ({ id, purpose, ...owner }: Binding) => context('text', id, nameOf(owner), purpose)
const nameOf = (owner: { accountId: string } | { userId: string }) =>
  'userId' in owner ? `user ${owner.userId}` : owner.accountId

function encrypt(key: CipherKey, plain: Buffer, additional: Buffer): { nonce: Buffer; ciphertext: Buffer } {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(additional)
  return { nonce, ciphertext: Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]) }
}

function decrypt(key: CipherKey, { nonce, ciphertext }: { nonce: Buffer; ciphertext: Buffer }, additional: Buffer) {
  const end = ciphertext.length - TAG_BYTES
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(additional).setAuthTag(ciphertext.subarray(end))
  return Buffer.concat([decipher.update(ciphertext.subarray(0, end)), decipher.final()])
}
