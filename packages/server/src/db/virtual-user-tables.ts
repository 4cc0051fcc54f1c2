import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

export interface VirtualUserTables {
  virtual_user: {
    id: Generated<string>
    account_id: bigint
    /** The order of making. */
    number: GeneratedAlways<bigint>
    type: 'BALANCE' | 'CEX'
    label: string
    created_at: Generated<Date>
  }

  /** A holding as it was from a moment on: of a contract on a chain, or of a symbol priced by a source. */
  virtual_balance_change: {
    number: GeneratedAlways<bigint>
    virtual_user_id: string
    chain: string | null
    contract: string | null
    symbol: string | null
    price_source: string | null
    /** In units of the asset, exact. */
    amount: string
    changed_at: Date
    recorded_at: GeneratedAlways<Date>
  }

  /** Which account at which exchange a virtual user stands for; the secret holds its credentials. */
  exchange_link: {
    id: Generated<string>
    virtual_user_id: string
    exchange: string
    secret_id: string
    linked_at: Generated<Date>
  }

  /** `link_id`: of an exchange. Written as text, so that no amount passes through a float. */
  virtual_user_read: {
    virtual_user_id: string
    source: string
    link_id: string | null
    read_at: ColumnType<Date, Date, Date>
    body: ColumnType<unknown, string, string>
  }
}
