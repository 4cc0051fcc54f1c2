import type { Generated } from 'kysely'

export interface SecretTables {
  /** An encrypted text of an account. `key_id` says which master key wrapped the key that it is encrypted with. */
  secret: {
    id: string
    account_id: bigint | null
    user_id: bigint | null
    purpose: string
    key_id: Buffer
    key_nonce: Buffer
    wrapped_key: Buffer
    nonce: Buffer
    ciphertext: Buffer
    created_at: Generated<Date>
  }
}
