import { type CsvField, csvHeader, csvLine } from '@coffer/contract'
import type { Address } from '../../../domain/address.ts'

/** A column of a table in CSV. */
export type Column<L> = { name: string; kind: CsvField['kind']; read(line: L): string }

export const text = <L>(name: string, read: (line: L) => string): Column<L> => ({ name, kind: 'text', read })
export const figure = <L>(name: string, read: (line: L) => string): Column<L> => ({ name, kind: 'figure', read })
/** A column that is always empty: other programs ask for it. */
export const empty = <L>(name: string): Column<L> => text(name, () => '')

/** Excel reads CSV without it in the encoding of its language. */
export const BOM = '\uFEFF'

/** The first line. */
export const headerOf = <L>(columns: readonly Column<L>[]): string => csvHeader(columns.map(({ name }) => name))

export const linesOf = <L>(columns: readonly Column<L>[], lines: readonly L[]): string =>
  lines.map((line) => csvLine(columns.map(({ kind, read }) => ({ kind, value: read(line) })))).join('')

/** A history that a file leaves out, or a part of one; without a chain: of every chain of the wallet. */
export type Missing = { wallet: Address; chain?: string; reason: string }

/** A line without figures. */
export function leftOutLine<L>(columns: readonly Column<L>[], { wallet, chain = '', reason }: Missing): string {
  const values: Readonly<Record<string, string>> = { wallet, chain, missing: reason, fehlend: reason }
  return csvLine(columns.map(({ name }) => ({ kind: 'text', value: values[name.toLowerCase()] ?? '' })))
}
