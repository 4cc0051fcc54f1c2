type Plain<V> = V extends Date | bigint ? string : V

/** A row of the database as JSON carries it: dates in ISO 8601, bigints as decimal digits. */
export function plainRow<R extends object>(row: R): { [K in keyof R]: Plain<R[K]> } {
  const values = Object.entries(row).map(([name, value]) => [name, plainValue(value)])
  return Object.fromEntries(values) as { [K in keyof R]: Plain<R[K]> }
}

function plainValue(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'bigint' ? value.toString() : value
}
