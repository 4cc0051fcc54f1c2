import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

export const MASTER_KEY_BYTES = 32
const KEY_ID_BYTES = 16

/** `id` reveals nothing of the key. */
export type MasterKey = { readonly id: Buffer; readonly wrapping: KeyObject }

/** Never in the database. */
export type MasterKeys = {
  /** The rest of a sentence that begins with a missing key. */
  readonly remedy: string
  current(): Promise<MasterKey | undefined>
  find(id: Buffer): Promise<MasterKey | undefined>
  /** Returns the current key. Of concurrent processes one creates it. */
  make(): Promise<MasterKey>
  /** Does nothing while the current key's predecessor exists. The caller holds the secrets' lock. */
  renew(): Promise<void>
  /** Keeps only the current key. The caller holds the secrets' lock and has checked that nothing needs the others. */
  retire(): Promise<void>
}

/** From 32 bytes in hexadecimal digits, by HKDF (RFC 5869). */
export function deriveMasterKey(hex: string): MasterKey {
  const bytes = Buffer.from(hex, 'hex')
  const derive = (info: string, length: number) => Buffer.from(hkdfSync('sha256', bytes, '', info, length))
  return {
    id: derive('coffer master key id', KEY_ID_BYTES),
    wrapping: createSecretKey(derive('coffer master key wrapping', MASTER_KEY_BYTES)),
  }
}
