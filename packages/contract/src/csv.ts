/** A field of CSV. A `text` may be of third parties and is neutralised where a spreadsheet would run it; a `figure` stays exact. */
export type CsvField = { kind: 'text' | 'figure'; value: string }

/**
 * Places in a text where a cell that begins a formula may start: at its beginning and after whatever a spreadsheet may take for a
 * separator, since a German Excel splits by `;` and LibreOffice by tab and `;` too. Full-width signs count as their narrow forms.
 */
const FORMULA = /(?<=^|[,;|\t\r\n])(?=['"\s]*[=+\-@＝＋－＠])|^(?='*[\t\r\n])/g
const FIGURE = /^-?\d+(\.\d+)?$/
const SPECIAL = /[",;\t\r\n]/

/** Fields as a line of RFC 4180 with its end. Texts are quoted. */
export const csvLine = (fields: readonly CsvField[]): string => lineOf(fields.map(written))

/** The first line: names that are ours, quoted only where the format needs it, since importers compare it as a whole. */
export const csvHeader = (names: readonly string[]): string =>
  lineOf(names.map((name) => (SPECIAL.test(name) ? quoted(name) : name)))

const lineOf = (cells: readonly string[]): string => `${cells.join(',')}\r\n`

function written({ kind, value }: CsvField): string {
  if (value === '' || (kind === 'figure' && FIGURE.test(value))) return value
  return quoted(value.replace(FORMULA, "'"))
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
