import { type Column, cellsOf } from './column.ts'

/** What spreadsheets take for a formula where a field begins with it. */
const FORMULA = /^[=+\-@\t\r\n]/
const FIGURE = /^-?\d+(\.\d+)?$/
const SPECIAL = /[",\r\n]/

const quoted = (value: string) => (SPECIAL.test(value) ? `"${value.replaceAll('"', '""')}"` : value)

/** Text is made harmless where a spreadsheet would run it; figures are left exact. */
function fieldOf(value: string, kind: Column<never>['kind']): string {
  if (kind === 'figure' && FIGURE.test(value)) return value
  return quoted(FORMULA.test(value) ? `'${value}` : value)
}

const lineOf = (fields: readonly string[]) => `${fields.join(',')}\r\n`

/** A row, as RFC 4180 has it. */
export const csvLine = <R>(columns: readonly Column<R>[], row: R): string =>
  lineOf(columns.map((column) => fieldOf(cellsOf(column, row).exact, column.kind)))

/** The names of the columns and the rows. */
export const csvOf = <R>(columns: readonly Column<R>[], rows: readonly R[]): string =>
  lineOf(columns.map(({ name }) => quoted(name))) + rows.map((row) => csvLine(columns, row)).join('')
