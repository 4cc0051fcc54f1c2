/** What spreadsheets take for a formula where a field begins with it. */
const FORMULA = /^[=+\-@\t\r]/
/** A figure, which a spreadsheet reads as that; it is left exact. */
const FIGURE = /^-?\d+(\.\d+)?$/

/** A field: a formula is made text by an apostrophe before it. */
function fieldOf(value: string): string {
  const harmless = FORMULA.test(value) && !FIGURE.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** A table in CSV as RFC 4180 has it, its first line the names of the columns. */
export function toCsv(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, ...rows].map((fields) => `${fields.map(fieldOf).join(',')}\r\n`).join('')
}
