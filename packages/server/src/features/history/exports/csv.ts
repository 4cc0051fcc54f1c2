import { type CsvField, csvHeader, csvLine } from '@coffer/contract'
import type { Address } from '../../../domain/address.ts'

export type Column<L> = { name: string; kind: CsvField['kind']; read(line: L): string }

export const text = <L>(name: string, read: (line: L) => string): Column<L> => ({ name, kind: 'text', read })
export const figure = <L>(name: string, read: (line: L) => string): Column<L> => ({ name, kind: 'figure', read })
/** Required by other programs. */
export const empty = <L>(name: string): Column<L> => text(name, () => '')

/** Excel otherwise assumes the encoding of its language. */
export const BOM = '\uFEFF'

export const headerOf = <L>(columns: readonly Column<L>[]): string => csvHeader(columns.map(({ name }) => name))

export const linesOf = <L>(columns: readonly Column<L>[], lines: readonly L[]): string =>
  lines.map((line) => csvLine(columns.map(({ kind, read }) => ({ kind, value: read(line) })))).join('')

/** Without `chain`: all chains of the wallet. */
export type Missing = { wallet: Address; chain?: string; reason: string }

export function leftOutLine<L>(columns: readonly Column<L>[], { wallet, chain = '', reason }: Missing): string {
  const values: Readonly<Record<string, string>> = { wallet, chain, missing: reason, fehlend: reason }
  return csvLine(columns.map(({ name }) => ({ kind: 'text', value: values[name.toLowerCase()] ?? '' })))
}
