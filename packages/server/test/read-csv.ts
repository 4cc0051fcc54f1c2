import { parse } from 'csv-parse/sync'

/** A line break that is not quoted ends a line, whatever it is: a line that it cuts has too few fields. */
const READING = { record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: false, skip_empty_lines: false }

/** Reads CSV as RFC 4180 has it, with lines of equal length, by a reader that is not ours. Throws on anything else. */
export function recordsOf(csv: string): string[][] {
  if (!csv.endsWith('\r\n')) throw new Error('the last line is cut')
  // Files for people begin with a byte order mark.
  return parse(csv, { ...READING, bom: true })
}

/** Lines by the names of their columns. */
export function readCsv(csv: string): Record<string, string>[] {
  const [header = [], ...lines] = recordsOf(csv)
  if (new Set(header).size !== header.length) throw new Error('two columns of one name')
  return lines.map((fields) => Object.fromEntries(header.map((name, column) => [name, fields[column] ?? ''])))
}
