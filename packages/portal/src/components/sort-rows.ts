import { compareOrdered, toOrdered } from '../lib/pixels.ts'

/** Sorts as text (ignoring case) or as exact decimals. */
export type SortKey<Row> = { value: (row: Row) => string; sort?: 'text' | 'decimal' }

/** Returns a sorted copy. Equal rows keep their order. */
export function sortRows<Row>(rows: readonly Row[], { value, sort = 'text' }: SortKey<Row>, desc: boolean): Row[] {
  // Computes sort keys once per row, not per comparison.
  return sort === 'text'
    ? sortBy(rows, (row) => value(row).toLowerCase(), compareTexts, desc)
    : sortBy(rows, (row) => toOrdered(value(row)), compareOrdered, desc)
}

function sortBy<Row, Key>(
  rows: readonly Row[],
  toKey: (row: Row) => Key,
  compare: (a: Key, b: Key) => number,
  desc: boolean,
): Row[] {
  const keyed = rows.map((row) => ({ row, key: toKey(row) }))
  keyed.sort(desc ? (a, b) => compare(b.key, a.key) : (a, b) => compare(a.key, b.key))
  return keyed.map(({ row }) => row)
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
