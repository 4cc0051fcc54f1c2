/** What people see of a protocol. */
export type NamedProtocol = {
  /** snake_case; one key for all markets of a protocol, and the same on all chains. */
  key: string
  name: string
  chain: string
  siteUrl?: string
}
