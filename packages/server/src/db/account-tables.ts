import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

type Written<T> = ColumnType<T, never, never>

type Bucket = 'issued' | 'available' | 'pending' | 'revenue'

export interface AccountTables {
  /** Null limits: those of the plan or the service. */
  account: {
    id: GeneratedAlways<bigint>
    name: string
    plan: 'FREE' | 'LITE' | 'PRO'
    entitlements: ('portfolio' | 'beacon')[]
    address_book_quota: number | null
    bundle_quota: number | null
    bundle_size_quota: number | null
    rate_limit_default: number | null
    rate_limit_portfolio: number | null
    rate_limit_beacon: number | null
    cost_method: Generated<'AVG' | 'FIFO' | 'LIFO' | 'HIFO'>
    created_at: Generated<Date>
  }

  /** `secret` null: set by the environment. */
  api_key_pepper: {
    version: GeneratedAlways<number>
    fingerprint: Buffer
    secret: Buffer | null
    created_at: Generated<Date>
  }

  api_key: {
    id: GeneratedAlways<bigint>
    account_id: bigint
    name: string
    display: string
    digest: Buffer
    pepper_version: number
    created_at: Generated<Date>
    last_used_at: Date | null
    revoked_at: Date | null
  }

  credit_account: {
    account_id: bigint
    available: Generated<bigint>
    pending: Generated<bigint>
  }

  /** Append-only. `amount` credits move from the debit to the credit bucket. */
  credit_entry: {
    id: Written<bigint>
    at: Written<Date>
    account_id: Written<bigint>
    amount: Written<bigint>
    charge_id: Written<bigint | null>
    kind: Written<'grant' | 'adjust_up' | 'adjust_down' | 'charge' | 'hold' | 'post' | 'void' | 'refund'>
    debit: Written<Bucket>
    credit: Written<Bucket>
    source_key: Written<string>
  }

  /** Statistics; only the ledger is exact. */
  usage_day: {
    account_id: bigint
    day: string
    key_id: bigint
    endpoint: string
    outcome: 'ok' | 'input' | 'access' | 'credits' | 'rate' | 'busy' | 'failed'
    requests: bigint
    credits: bigint
  }

  credit_violation: {
    invariant: Written<string>
    subject: Written<string>
    detail: Written<string>
  }
}

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

export interface AddressBookTables {
  /** `expires_at` null: plan FREE. */
  address_book_entry: {
    account_id: bigint
    address: string
    number: GeneratedAlways<bigint>
    label: string
    plan: Generated<'FREE' | 'LITE' | 'PRO'>
    expires_at: Date | null
    owner_authorized: Generated<boolean>
  }

  bundle: {
    id: Generated<string>
    account_id: bigint
    number: GeneratedAlways<bigint>
    name: string
  }

  bundle_member: {
    account_id: bigint
    bundle_id: string
    address: string
    number: GeneratedAlways<bigint>
  }

  owner_challenge: {
    account_id: bigint
    address: string
    text: string
    expires_at: Date
  }
}
