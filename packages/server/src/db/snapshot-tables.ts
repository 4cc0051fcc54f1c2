import type { ColumnType, GeneratedAlways } from 'kysely'

type Moment = ColumnType<Date, Date | string, Date | string>

export interface SnapshotTables {
  /** `expires_at` is exclusive. */
  snapshot_subscription: {
    account_id: bigint
    address: string
    subscribed_at: Moment
    expires_at: Moment
    description: string | null
    next_date: string
  }

  wallet_snapshot: {
    id: GeneratedAlways<bigint>
    address: string
    date: string
    account_id: bigint | null
    reads: ColumnType<unknown, string, never>
  }

  account_snapshot: { account_id: bigint; address: string; date: string; snapshot_id: bigint }

  snapshot_gap: {
    account_id: bigint
    address: string
    date: string
    chain: string
    reason: 'no-state' | 'unreadable'
  }

  /** `at`: Unix seconds. */
  snapshot_early_read: {
    wallet: string
    at: bigint
    chain: string
    block_hash: `0x${string}`
    read: ColumnType<unknown, string, string>
  }
}
