import { type RawBuilder, sql } from 'kysely'

/** The rows as a table `name` of a FROM clause, with a column for each entry of `types` (PostgreSQL's names). */
export function rowTable<R extends object>(
  name: string,
  types: { readonly [Column in keyof R]?: string },
  rows: readonly R[],
): RawBuilder<unknown> {
  const columns = Object.entries(types) as [keyof R & string, string][]
  const lists = columns.map(([column, type]) => {
    const values = rows.map(({ [column]: value }) => (typeof value === 'bigint' ? value.toString() : value))
    return sql`${values}::${sql.raw(type)}[]`
  })
  return sql`unnest(${sql.join(lists)}) as ${sql.ref(name)} (${sql.join(columns.map(([column]) => sql.ref(column)))})`
}
