/** Identified by `chain` and `key`. A fork is a row, never a new file. */
export type ProtocolRow = {
  family: string
  /** snake_case, for all markets and chains of a protocol. */
  key: string
  name: string
  chain: string
  deployment: Readonly<Record<string, unknown>>
  siteUrl?: string
  /** Receipts that lost their backing, while contracts convert at the old rate: shown as themselves at market price. */
  impaired?: readonly string[]
}
