type Plain<V> = V extends Date | bigint ? string : V

/** As JSON carries it: dates in ISO 8601, bigints as decimal digits. */
export function plainRow<R extends object>(row: R): { [K in keyof R]: Plain<R[K]> } {
  const values = Object.entries(row).map(([name, value]) => {
    if (value instanceof Date) return [name, value.toISOString()]
    return [name, typeof value === 'bigint' ? value.toString() : value]
  })
  return Object.fromEntries(values) as { [K in keyof R]: Plain<R[K]> }
}
