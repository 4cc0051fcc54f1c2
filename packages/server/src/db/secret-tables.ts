import type { Generated } from 'kysely'

export interface SecretTables {
  /** `key_id`: the wrapping master key. */
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
