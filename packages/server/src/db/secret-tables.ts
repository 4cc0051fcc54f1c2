import type { Generated } from 'kysely'

/** An encrypted text of an account. `key_id` says which master key wrapped the key that it is encrypted with. */
export type SecretTable = {
  id: string
  account_id: bigint
  purpose: string
  key_id: Buffer
  key_nonce: Buffer
  wrapped_key: Buffer
  nonce: Buffer
  ciphertext: Buffer
  created_at: Generated<Date>
}
