import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

export interface PortalTables {
  /** `password`: an encoded argon2id hash. */
  portal_user: {
    id: GeneratedAlways<bigint>
    name: string
    password: string | null
    is_operator: Generated<boolean>
    totp_secret_id: string | null
    totp_pending_id: string | null
    totp_step: bigint | null
    created_at: Generated<Date>
  }

  /** SHA-256; each code is taken once. */
  portal_recovery_code: { user_id: bigint; digest: Buffer }

  portal_wallet: {
    address: string
    user_id: bigint
    /** Null: the key signs, not a contract. */
    chain: string | null
    created_at: Generated<Date>
    last_used_at: Date | null
  }

  /** `label` is for display: it identifies no user. */
  portal_identity: {
    id: GeneratedAlways<bigint>
    issuer: string
    subject: string
    user_id: bigint
    label: string
    created_at: Generated<Date>
    last_used_at: Date | null
  }

  /** Wrong passwords since the last right one, by user and by network. */
  portal_failed_password: { subject: string; failures: number; failed_at: Date; wait_until: Date }

  portal_member: {
    user_id: bigint
    account_id: bigint
    role: 'viewer' | 'accountant' | 'owner'
    created_at: Generated<Date>
  }

  /** `digest`: SHA-256 of the cookie. */
  portal_session: {
    id: GeneratedAlways<bigint>
    digest: Buffer
    user_id: bigint
    address: string
    agent: string
    created_at: Generated<Date>
    seen_at: Generated<Date>
    proved_at: Generated<Date>
  }

  /** `id`: base64url. */
  portal_passkey: {
    id: string
    user_id: bigint
    public_key: Buffer
    counter: bigint
    transports: string[]
    name: string
    created_at: Generated<Date>
    last_used_at: Date | null
  }

  /** Each is taken once. */
  portal_challenge: {
    challenge: string
    purpose: 'link' | 'sign-in' | 'proof' | 'passkey' | 'wallet' | 'wallet-sign-in' | 'openid'
    subject: string
    origin: string
    opened_by: string
    session_id: bigint | null
    expires_at: Date
  }

  /** `digest`: SHA-256 of the token. */
  portal_link: {
    id: GeneratedAlways<bigint>
    digest: Buffer
    kind: 'setup' | 'invitation' | 'recovery'
    account_id: bigint | null
    role: 'viewer' | 'accountant' | 'owner' | null
    user_id: bigint | null
    /** Null: `coffer-admin`. */
    made_by: bigint | null
    created_at: Generated<Date>
    expires_at: Date
    used_at: Date | null
  }

  /** Append-only, without secrets. */
  audit_event: {
    id: GeneratedAlways<bigint>
    at: Generated<Date>
    account_id: bigint | null
    user_id: bigint | null
    user_name: string
    action: string
    detail: ColumnType<unknown, string | undefined, never>
    address: string
  }
}
