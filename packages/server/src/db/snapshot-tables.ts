import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

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

  /** `time` and `block_time`: Unix seconds. `protocols`: null if the block could not be read. */
  wallet_point: {
    wallet: string
    chain: string
    time: bigint
    block: bigint | null
    block_time: bigint | null
    protocols: ColumnType<unknown, string | null, string | null>
    gaps: ColumnType<unknown, string, string>
    is_settled: boolean
    computed_at: Date
  }
}

export interface VirtualUserTables {
  virtual_user: {
    id: Generated<string>
    account_id: bigint
    number: GeneratedAlways<bigint>
    type: 'BALANCE' | 'CEX'
    label: string
    created_at: Generated<Date>
  }

  virtual_balance_change: {
    number: GeneratedAlways<bigint>
    virtual_user_id: string
    chain: string | null
    contract: string | null
    symbol: string | null
    price_source: string | null
    /** Exact units of the asset. */
    amount: string
    changed_at: Date
    recorded_at: GeneratedAlways<Date>
  }

  exchange_link: {
    id: Generated<string>
    virtual_user_id: string
    exchange: string
    secret_id: string
    linked_at: Generated<Date>
  }

  /** `body`: text, so that no amount passes through a float. */
  virtual_user_read: {
    virtual_user_id: string
    source: string
    link_id: string | null
    read_at: ColumnType<Date, Date, Date>
    body: ColumnType<unknown, string, string>
  }
}
