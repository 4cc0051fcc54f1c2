import type pg from 'pg'
import { SESSION_FORMATS } from '../../db/database.ts'

/** `checksum`: of all rows, in any order. */
type TableSum = { rows: string; checksum: string }
export type TableSums = Readonly<Record<string, TableSum>>

const TABLES = `
  select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace n on n.oid = relnamespace
  where relkind = 'r' and nspname !~ '^pg_' and nspname <> 'information_schema' order by 1`

/** Reads every row. Requires a transaction, whose snapshot counts. */
export async function tableSums(client: pg.ClientBase): Promise<TableSums> {
  // A row's text depends on them.
  for (const [name, value] of SESSION_FORMATS) {
    if (!name.startsWith('default_')) await client.query('select set_config($1, $2, true)', [name, value])
  }
  const { rows: tables } = await client.query<{ name: string }>(TABLES)
  const sums: Record<string, TableSum> = {}
  for (const { name } of tables) {
    const { rows } = await client.query<TableSum>(
      `select count(*)::text as rows, coalesce(sum(hashtextextended(each::text, 0)), 0)::text as checksum
      from ${name} as each`,
    )
    sums[name] = rows[0] ?? { rows: '0', checksum: '0' }
  }
  return sums
}

export function differences(wanted: TableSums, found: TableSums): string[] {
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(found)])].sort()
  return names.flatMap((name) => {
    const [one, other] = [wanted[name], found[name]]
    if (!one || !other) return [`${name} is ${one ? 'missing' : 'new'}`]
    if (one.rows !== other.rows) return [`${name} has ${other.rows} rows instead of ${one.rows}`]
    return one.checksum === other.checksum ? [] : [`${name} has other contents`]
  })
}
