import type { ColumnType, Generated } from 'kysely'

type Hex = string
type Moment = ColumnType<Date, Date | string, Date | string>

type Json = ColumnType<unknown, string, string>

export interface HistoryTables {
  /** Both ends inclusive. */
  history_gap: {
    wallet: Hex
    chain: string
    from_block: bigint
    to_block: bigint
    reason: 'pruned' | 'not-offered' | 'replaced-chain'
  }

  /**
   * `recipient` null: contract creation. `protocol_basis` null: listed, or none. `value_usd` null: nothing moved, or
   * not priced yet.
   */
  history_transaction: {
    wallet: Hex
    chain: string
    block: bigint
    tx_index: number
    hash: Hex
    block_hash: Hex
    block_time: Moment
    sender: Hex
    recipient: Hex | null
    selector: Hex
    succeeded: boolean
    fee: string
    type: string
    protocol: string | null
    protocol_basis: string | null
    value_usd: string | null
    fee_usd: string | null
  }

  /**
   * `place`: order within the transaction. `price`: USD per stored unit; null with `priced_at` set: none. `multiplier`:
   * shown units per stored unit; null: as stored.
   */
  history_movement: {
    wallet: Hex
    chain: string
    block: bigint
    tx_index: number
    place: number
    token: Hex
    token_id: string | null
    amount: string
    counterparty: Hex | null
    debt: boolean
    leg: number
    treatment: string
    multiplier: string | null
    multiplier_known: boolean
    price: string | null
    price_source: string | null
    priced_at: Moment | null
  }

  /** Balance minus the sum of movements. */
  history_adjustment: {
    wallet: Hex
    chain: string
    block: bigint
    block_time: Moment
    token: Hex
    amount: string
    debt: boolean
    kind: 'interest' | 'gap'
    price: string | null
    price_source: string | null
    priced_at: Moment | null
  }

  history_token_account: { wallet: string; chain: string; account: string }

  history_sync: {
    id: Generated<bigint>
    wallet: Hex
    account_id: bigint
    state: 'running' | 'paused' | 'failed' | 'done'
    stored: Generated<number>
    requested_at: ColumnType<Date, never, Date>
    ended_at: Moment | null
    completed_at: Moment | null
    reason: string | null
    restarts: Generated<number>
    /** By chain, decimal. */
    searched_before: Generated<Record<string, string>>
    chain_ends: Generated<Record<string, { state: 'paused' | 'failed' | 'done'; reason: string | null }>>
  }

  history_follow: { chain: string; wallet: Hex; due_at: Moment }

  /** `failures`: in a row. */
  history_set_aside: {
    chain: string
    wallet: Hex
    step: 'search' | 'price'
    failures: number
    reason: string
    since: Moment
    retry_at: Moment
  }

  history_state: { wallet: Hex; chain: string; block: bigint; block_time: Moment }

  history_change: { id: Generated<bigint>; wallet: Hex; since: Moment }

  /** `seen`: last processed change, by `keysOf` the scope. */
  accounting: {
    scope: string
    method: string
    seen: Json
    computed_at: Moment
    revision: Generated<bigint>
    lacking: Json
    next: string | null
    days: Generated<string[]>
    leased_until: Moment | null
  }

  /** After the day's last entry (UTC), if it changed since the scope's day before; `value` null: the pool is empty. */
  accounting_part: { scope: string; wallet: string; part: string; day: string; value: Json }

  /** In USD. Null: unknown. */
  accounting_result: {
    scope: string
    wallet: Hex
    chain: string
    block: bigint
    tx_index: number
    place: number
    at: Moment
    cost_basis: string | null
    closed_pnl: string | null
  }
}
