/** One protocol on one chain, told apart by `chain` and `key`. A fork is a row, never a new file. */
export type ProtocolRow = {
  /** Name of the family in `families.ts`: `aave`, `uniswap_v2`… */
  family: string
  /** snake_case; one key for all markets of a protocol, and the same on all chains. */
  key: string
  name: string
  chain: string
  /** Shape as the family's schema says. */
  deployment: Readonly<Record<string, unknown>>
  siteUrl?: string
  /**
   * Receipt tokens whose protocol lost what they stand for, while their contracts still convert at the old rate. They are
   * shown as themselves, and worth what a market pays for them. Only in families that read each contract alone.
   */
  impaired?: readonly string[]
}
