import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

export const MASTER_KEY_BYTES = 32
const KEY_ID_BYTES = 16

/** The key that data keys are encrypted with. `id` is its fingerprint, from which nothing of it follows. */
export type MasterKey = { readonly id: Buffer; readonly wrapping: KeyObject }

/** The master keys of this installation. None is ever in the database. */
export type MasterKeys = {
  /** Why a key may be missing and what to do about it: the rest of a sentence that begins with the key. */
  readonly remedy: string
  /** The key that encrypts, as it is now; undefined while there is none. */
  current(): Promise<MasterKey | undefined>
  /** The key with this id; undefined when it is not here. */
  find(id: Buffer): Promise<MasterKey | undefined>
  /** The current key, made when there is none. Of several processes that do so one makes it. */
  make(): Promise<MasterKey>
  /** Makes a new current key, unless one was made whose predecessor is still here. The caller holds the secrets' lock. */
  renew(): Promise<void>
  /** Forgets all keys but the current one. The caller holds the secrets' lock and has seen that nothing needs the others. */
  retire(): Promise<void>
}

/**
 * The master key of 32 secret bytes, in hexadecimal digits: what encrypts and what names it are derived from them, each
 * for its own use (HKDF, RFC 5869).
 */
export function deriveMasterKey(hex: string): MasterKey {
  const bytes = Buffer.from(hex, 'hex')
  const derive = (info: string, length: number) => Buffer.from(hkdfSync('sha256', bytes, '', info, length))
  return {
    id: derive('coffer master key id', KEY_ID_BYTES),
    wrapping: createSecretKey(derive('coffer master key wrapping', MASTER_KEY_BYTES)),
  }
}
