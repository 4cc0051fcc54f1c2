/**
 * A field of CSV. A `text` may come from a stranger and is made harmless where a spreadsheet would run it; a `figure` is left
 * exact.
 */
export type CsvField = { kind: 'text' | 'figure'; value: string }

/** What spreadsheets take for a formula where a field begins with it. */
const FORMULA = /^[=+\-@\t\r\n]/
const FIGURE = /^-?\d+(\.\d+)?$/
const SPECIAL = /[",\r\n]/

/** Fields as a line of RFC 4180, with its end. */
export const csvLine = (fields: readonly CsvField[]): string => `${fields.map(written).join(',')}\r\n`

function written({ kind, value }: CsvField): string {
  if (kind === 'figure' && FIGURE.test(value)) return value
  const harmless = FORMULA.test(value) ? `'${value}` : value
  return SPECIAL.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
