/** A `text` may be untrusted, and is neutralised where a spreadsheet would run it. A `figure` stays exact. */
export type CsvField = { kind: 'text' | 'figure'; value: string }

/**
 * Possible starts of a formula: the beginning, and after any separator. A German Excel splits by `;`, LibreOffice also
 * by tab and `;`. Full-width signs count as narrow ones.
 */
const FORMULA = /(?<=^|[,;|\t\r\n])(?=['"\s]*[=+\-@＝＋－＠])|^(?='*[\t\r\n])/g
const FIGURE = /^-?\d+(\.\d+)?$/
const SPECIAL = /[",;\t\r\n]/

/** Writes a line of RFC 4180 with its end. Quotes texts. */
export const csvLine = (fields: readonly CsvField[]): string => lineOf(fields.map(written))

/** Quotes names only where the format needs it: importers compare the whole line. */
export const csvHeader = (names: readonly string[]): string =>
  lineOf(names.map((name) => (SPECIAL.test(name) ? quoted(name) : name)))

const lineOf = (cells: readonly string[]): string => `${cells.join(',')}\r\n`

function written({ kind, value }: CsvField): string {
  if (value === '' || (kind === 'figure' && FIGURE.test(value))) return value
  return quoted(value.replace(FORMULA, "'"))
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
