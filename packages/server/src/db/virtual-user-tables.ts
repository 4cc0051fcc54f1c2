import type { Generated, GeneratedAlways } from 'kysely'

export type VirtualUserTable = {
  id: Generated<string>
  account_id: bigint
  /** The order of making. */
  number: GeneratedAlways<bigint>
  type: 'BALANCE' | 'CEX'
  label: string
  created_at: Generated<Date>
}

/** A holding as it was from a moment on: of a contract on a chain, or of a symbol priced by a source. */
export type VirtualBalanceChangeTable = {
  number: GeneratedAlways<bigint>
  virtual_user_id: string
  chain: string | null
  contract: `0x${string}` | null
  symbol: string | null
  price_source: string | null
  /** In units of the asset, exact. */
  amount: string
  changed_at: Date
  recorded_at: GeneratedAlways<Date>
}
