export type NamedProtocol = {
  /** snake_case; the same on all chains. */
  key: string
  name: string
  chain: string
  siteUrl?: string
}

export function firstByKey<R extends { key: string }>(rows: readonly R[]): Map<string, R> {
  return new Map(rows.toReversed().map((row) => [row.key, row]))
}
