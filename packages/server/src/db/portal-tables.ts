import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

export interface PortalTables {
  /** People who sign in to the portal; `password` is an encoded argon2id hash. */
  portal_user: {
    id: GeneratedAlways<bigint>
    name: string
    password: string | null
    is_operator: Generated<boolean>
    totp_secret_id: string | null
    /** Of which no code was confirmed yet. */
    totp_pending_id: string | null
    /** The last time step of which a code was taken. */
    totp_step: bigint | null
    created_at: Generated<Date>
  }

  /** SHA-256 of codes that take the place of an authenticator app's; each is taken once. */
  portal_recovery_code: { user_id: bigint; digest: Buffer }

  /** Wallets by whose signatures users sign in, as their kind of chain spells them. */
  portal_wallet: {
    address: string
    user_id: bigint
    /** Where the contract at the address is asked; null: its key signs. */
    chain: string | null
    created_at: Generated<Date>
    last_used_at: Date | null
  }

  /** Accounts at an OpenID provider that sign users in. `label` is for people: no user is found by it. */
  portal_identity: {
    id: GeneratedAlways<bigint>
    issuer: string
    subject: string
    user_id: bigint
    label: string
    created_at: Generated<Date>
    last_used_at: Date | null
  }

  /** Passwords that were wrong since the last right one, by user and by network. */
  portal_failed_password: { subject: string; failures: number; failed_at: Date; wait_until: Date }

  /** What a user may do in an account. */
  portal_member: {
    user_id: bigint
    account_id: bigint
    role: 'viewer' | 'accountant' | 'owner'
    created_at: Generated<Date>
  }

  /** `digest` is SHA-256 of what the cookie holds. */
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

  /** Passkeys by their credential id in base64url. */
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

  /** Challenges to authenticators that are open; each is taken once. */
  portal_challenge: {
    challenge: string
    purpose: 'link' | 'sign-in' | 'proof' | 'passkey' | 'wallet' | 'wallet-sign-in' | 'openid'
    subject: string
    origin: string
    /** The signed-in user, else the network of the caller. */
    opened_by: string
    session_id: bigint | null
    expires_at: Date
  }

  /** One-time links; `digest` is SHA-256 of the token in their fragment. */
  portal_link: {
    id: GeneratedAlways<bigint>
    digest: Buffer
    kind: 'setup' | 'invitation' | 'recovery'
    account_id: bigint | null
    role: 'viewer' | 'accountant' | 'owner' | null
    user_id: bigint | null
    /** The user who invites; null: `coffer-admin`. */
    made_by: bigint | null
    created_at: Generated<Date>
    expires_at: Date
    used_at: Date | null
  }

  /** What users and operators did: append-only. `detail` holds no secrets. */
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
