import type { ColumnType, Generated } from 'kysely'

type Hex = string
/** Read as a `Date`, written as one or as text. */
type Moment = ColumnType<Date, Date | string, Date | string>

type Json = ColumnType<unknown, string, string>

export interface HistoryTables {
  /** Blocks that the last search could not search or confirm, both ends included, and why. */
  history_gap: {
    wallet: Hex
    chain: string
    from_block: bigint
    to_block: bigint
    reason: 'pruned' | 'not-offered' | 'replaced-chain'
  }

  /**
   * A transaction as one wallet sees it. `recipient` null: it created a contract. `fee`: what its sender paid for gas.
   * `protocol_basis`: how an unlisted contract showed the protocol; null: listed, or none.
   * `value_usd`: of what moved, null where nothing did or before it was priced; `fee_usd`: of the gas, null while unknown.
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
   * `place`: order within the transaction. `price`: USD a stored token unit at the time; null with `priced_at` set: there is
   * none. `multiplier`: shown units per stored unit at the time; null: amounts are shown as stored.
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

  /** Difference between a balance at a block and the sum of its movements. */
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

  /** Accounts of a wallet that hold its tokens, or held them. */
  history_token_account: { wallet: string; chain: string; account: string }

  known_block: { wallet: Hex; chain: string; block: bigint; hash: Hex }

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
    /** Blocks by chain, as decimal strings. */
    searched_before: Generated<Record<string, string>>
    /** By chain. */
    chain_ends: Generated<Record<string, { state: 'paused' | 'failed' | 'done'; reason: string | null }>>
  }

  /** When the follower last took a wallet on a chain. */
  history_follow: { chain: string; wallet: Hex; followed_at: Moment }

  /** A step of the follower that fails for a wallet: how often in a row, why, and when it is tried again. */
  history_set_aside: {
    chain: string
    wallet: Hex
    step: 'search' | 'price'
    failures: number
    reason: string
    since: Moment
    retry_at: Moment
  }

  history_state: {
    wallet: Hex
    chain: string
    block: bigint
    block_time: Moment
  }

  history_change: { id: Generated<bigint>; wallet: Hex; since: Moment }

  /**
   * `seen`: by `keysOf` the scope, the last change that was processed. `state`: see `domain/accounting`. `revision` counts writes.
   * `lacking`: tokens whose decimals were unknown.
   */
  accounting: {
    scope: string
    method: string
    seen: Json
    state: Json
    computed_at: Moment
    revision: Generated<bigint>
    lacking: Json
  }

  /** The state after the last entry of a day (UTC). */
  accounting_day: { scope: string; day: string; state: Json }

  /** What a movement did to cost, in USD; null = not known. */
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
