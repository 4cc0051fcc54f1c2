import type { ColumnType, GeneratedAlways } from 'kysely'

type Moment = ColumnType<Date, Date | string, Date | string>

export interface SnapshotTables {
  /** A stretch of time for which an account has paid; `expires_at` is exclusive. */
  snapshot_subscription: {
    account_id: bigint
    address: string
    subscribed_at: Moment
    expires_at: Moment
    description: string | null
    /** Every day before it has its snapshot or its gap. */
    next_date: string
  }

  /** `account_id` null: of the first block of the day, the same for every account. */
  wallet_snapshot: {
    id: GeneratedAlways<bigint>
    address: string
    date: string
    account_id: bigint | null
    reads: ColumnType<unknown, string, never>
  }

  account_snapshot: { account_id: bigint; address: string; date: string; snapshot_id: bigint }

  /** A day without a snapshot, and why: a node has no state of its block any more, or it cannot be read whole. */
  snapshot_gap: {
    account_id: bigint
    address: string
    date: string
    chain: string
    reason: 'no-state' | 'unreadable'
  }

  /** `at`: Unix seconds of the moment whose first block was read; `block_hash` is that of the block. */
  snapshot_early_read: {
    wallet: string
    at: bigint
    chain: string
    block_hash: `0x${string}`
    read: ColumnType<unknown, string, string>
  }
}
