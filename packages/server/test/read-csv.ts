import { parse } from 'csv-parse/sync'

/** Any unquoted line break ends a line: a cut line has too few fields. */
const READING = { record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: false, skip_empty_lines: false }

/** RFC 4180 with lines of equal length, by an independent reader. Throws on anything else. */
export function recordsOf(csv: string): string[][] {
  if (!csv.endsWith('\r\n')) throw new Error('the last line is cut')
  // Files for people begin with a byte order mark.
  return parse(csv, { ...READING, bom: true })
}

export function readCsv(csv: string): Record<string, string>[] {
  const [header = [], ...lines] = recordsOf(csv)
  if (new Set(header).size !== header.length) throw new Error('two columns of one name')
  return lines.map((fields) => Object.fromEntries(header.map((name, column) => [name, fields[column] ?? ''])))
}
