import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

type Written<T> = ColumnType<T, never, never>

/** The paying customers. Null quotas and rate limits mean what the plan or the service gives. */
export type AccountTable = {
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

/** Server secrets that API keys are hashed with; `secret` is null when it comes from the environment. */
export type ApiKeyPepperTable = {
  version: GeneratedAlways<number>
  fingerprint: Buffer
  secret: Buffer | null
  created_at: Generated<Date>
}

export type ApiKeyTable = {
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

/** What an account has; the sum of its lines, written only by the ledger's functions. */
export type CreditAccountTable = {
  account_id: bigint
  available: Generated<bigint>
  pending: Generated<bigint>
}

type Bucket = 'issued' | 'available' | 'pending' | 'revenue'

/** `amount` credits of an account moved from the debit bucket to the credit bucket: an append-only line with what its kind means. */
export type CreditEntryView = {
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

/** Every broken invariant of the ledger; empty when all is well. */
export type CreditViolationView = {
  invariant: Written<string>
  subject: Written<string>
  detail: Written<string>
}
