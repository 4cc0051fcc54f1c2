/** What people see of a protocol. */
export type NamedProtocol = {
  /** snake_case; one key for all markets of a protocol, and the same on all chains. */
  key: string
  name: string
  chain: string
  siteUrl?: string
}

/** Rows by key; the first of several rows of a key has its name. */
export function firstByKey<R extends { key: string }>(rows: readonly R[]): Map<string, R> {
  return new Map(rows.toReversed().map((row) => [row.key, row]))
}
