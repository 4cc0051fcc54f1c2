import type { ColumnType, Generated } from 'kysely'

type Hex = `0x${string}`
type Json = ColumnType<unknown, string, string>
type Moment = ColumnType<Date, Date | string, Date | string>

export interface WalletTables {
  wallet_read: {
    wallet: string
    chain: string
    block: string
    block_hash: string | null
    block_time: Moment
    begun_at: Moment
    read_at: Moment
    body: Json
    plan: Json
    searched_at: Moment | null
    search_refused: Generated<boolean>
    search_unasked: Generated<boolean>
  }

  wallet_use: {
    wallet: string
    used_on: string
  }

  /** `decimals` null: no token at `asked_at`. */
  token: {
    chain: string
    address: string
    symbol: string | null
    name: string | null
    decimals: number | null
    asked_at: ColumnType<Date, never, Date>
  }

  wallet_token: {
    wallet: string
    chain: string
    address: string
  }

  wallet_due_contract: {
    wallet: string
    chain: string
    address: string
    block: string
    sent: boolean
  }

  wallet_key: {
    wallet: string
    chain: string
    contract: string
    /** Unsigned, 256 bits. */
    key: string
    block: bigint
  }

  wallet_program: {
    wallet: string
    chain: string
    program: string
  }

  instrument: {
    chain: string
    protocol_row: string
    address: Hex
    role: string
    fungible: boolean
    underlyings: Json
    also_shown: ColumnType<unknown, string, string>
    data: ColumnType<unknown, string | null, string | null>
    dropped_at: ColumnType<Date | null, Date | null | undefined, Date | null>
  }

  refusing_token: {
    chain: string
    address: Hex
    since: ColumnType<Date, Date, never>
  }

  instrument_discovery: {
    chain: string
    protocol_row: string
    discovered_at: Moment
  }

  chain_genesis: {
    chain: string
    hash: string
  }

  /** `blocks`: a multirange. `heads`: where searches ended, newest first, with the hashes of that time. */
  wallet_coverage: {
    wallet: string
    chain: string
    purpose: string
    logs: Generated<string>
    blocks: string
    heads: Generated<unknown>
  }
}

export interface ApprovalTables {
  approval: {
    wallet: string
    chain: string
    block: bigint
    log_index: number
    block_hash: Hex
    block_time: Date | null
    hash: Hex
    contract: string
    spender: string
    amount: string
  }
}
