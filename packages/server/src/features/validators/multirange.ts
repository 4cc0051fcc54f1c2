import { type RawBuilder, sql } from 'kysely'

/** A multirange of integers as JSON: the first and the last of each range, ascending. */
export function rangesOf(multirange: RawBuilder<unknown>): RawBuilder<[number, number][]> {
  return sql`(select coalesce(json_agg(json_build_array(lower(range), upper(range) - 1) order by range), '[]')
    from unnest(${multirange}) as range)`
}
