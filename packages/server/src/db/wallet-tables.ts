import type { ColumnType } from 'kysely'

type Hex = `0x${string}`
/** A JSON document: written as text, read as what the text says. */
type Json = ColumnType<unknown, string, string>
type Moment = ColumnType<Date, Date | string, Date | string>

export interface WalletReadTable {
  wallet: string
  chain: string
  block: string
  block_time: Moment
  read_at: Moment
  body: Json
  plan: Json
}

/** Without decimals: a contract that was asked and is no token. */
export interface TokenTable {
  chain: string
  address: string
  symbol: string | null
  name: string | null
  decimals: number | null
}

export interface WalletTokenTable {
  wallet: string
  chain: string
  address: string
}

export interface WalletProgramTable {
  wallet: string
  chain: string
  program: string
}

export interface InstrumentTable {
  chain: string
  protocol_row: string
  address: Hex
  role: string
  fungible: boolean
  underlyings: Json
  data: ColumnType<unknown, string | null, string | null>
}

export interface InstrumentDiscoveryTable {
  chain: string
  protocol_row: string
  discovered_at: Moment
}
