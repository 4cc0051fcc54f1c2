/** A field, quoted or bare, and what ends it. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y

/** Reads CSV as RFC 4180 has it. Throws on anything else. */
export function recordsOf(csv: string): string[][] {
  const records: string[][] = []
  let fields: string[] = []
  FIELD.lastIndex = 0
  while (FIELD.lastIndex < csv.length) {
    const at = FIELD.lastIndex
    const found = FIELD.exec(csv)
    if (!found) throw new Error(`no field at ${at}: ${JSON.stringify(csv.slice(at, at + 80))}`)
    const [, quoted, bare = '', end] = found
    fields.push(quoted?.replaceAll('""', '"') ?? bare)
    if (end === ',') continue
    records.push(fields)
    fields = []
  }
  if (fields.length > 0) throw new Error('the last line is cut')
  return records
}

/** Lines by the names of their columns. */
export function readCsv(csv: string): Record<string, string>[] {
  const [header = [], ...lines] = recordsOf(csv)
  if (new Set(header).size !== header.length) throw new Error('two columns of one name')
  return lines.map((fields, i) => {
    if (fields.length !== header.length) throw new Error(`line ${i + 2} has ${fields.length} fields`)
    return Object.fromEntries(header.map((name, column) => [name, fields[column] ?? '']))
  })
}
