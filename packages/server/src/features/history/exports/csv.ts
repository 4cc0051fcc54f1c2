/**
 * A column of a table in CSV. A `text` may come from a stranger and is made harmless where a spreadsheet would run it; a `figure`
 * is left exact.
 */
export type Column<L> = { name: string; kind: 'text' | 'figure'; read(line: L): string }

/** What spreadsheets take for a formula where a field begins with it. */
const FORMULA = /^[=+\-@\t\r\n]/
const FIGURE = /^-?\d+(\.\d+)?$/
const SPECIAL = /[",\r\n]/

export const text = <L>(name: string, read: (line: L) => string): Column<L> => ({ name, kind: 'text', read })
export const figure = <L>(name: string, read: (line: L) => string): Column<L> => ({ name, kind: 'figure', read })
/** A column that is always empty: other programs ask for it. */
export const empty = <L>(name: string): Column<L> => text(name, () => '')

const quoted = (value: string) => (SPECIAL.test(value) ? `"${value.replaceAll('"', '""')}"` : value)

function fieldOf(kind: Column<never>['kind'], value: string): string {
  if (kind === 'figure' && FIGURE.test(value)) return value
  return quoted(FORMULA.test(value) ? `'${value}` : value)
}

const lineOf = (fields: readonly string[]) => `${fields.join(',')}\r\n`

/** The first line, as RFC 4180 has it. */
export const headerOf = <L>(columns: readonly Column<L>[]): string => lineOf(columns.map(({ name }) => quoted(name)))

export const linesOf = <L>(columns: readonly Column<L>[], lines: readonly L[]): string =>
  lines.map((line) => lineOf(columns.map(({ kind, read }) => fieldOf(kind, read(line))))).join('')
