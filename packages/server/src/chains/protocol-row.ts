/** Identified by `chain` and `key`. A fork is a row, never a new file. */
export type ProtocolRow = {
  family: string
  /** snake_case; the same for all markets and chains of a protocol. */
  key: string
  name: string
  chain: string
  deployment: Readonly<Record<string, unknown>>
  siteUrl?: string
  /**
   * Receipt tokens that lost their backing, while contracts convert at the old rate. Shown as themselves, at market
   * price. Only for adapters that read each contract alone.
   */
  impaired?: readonly string[]
}
