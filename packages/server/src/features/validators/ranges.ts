import { type RawBuilder, sql } from 'kysely'
import type { EpochRange } from '../../domain/beacon-time.ts'

/** A multirange of integers as JSON: the first and the last of each range, ascending. */
export function rangesOf(multirange: RawBuilder<unknown>): RawBuilder<[number, number][]> {
  return sql`(select coalesce(json_agg(json_build_array(lower(range), upper(range) - 1) order by range), '[]')
    from unnest(${multirange}) as range)`
}

/** Lists of ranges as rows `(place, from_epoch, to_epoch)`, the place being that of the list. */
export function unnestRanges(lists: readonly (readonly EpochRange[])[]): RawBuilder<unknown> {
  const rows = lists.flatMap((ranges, place) => ranges.map((range) => ({ place, ...range })))
  return sql`unnest(${rows.map(({ place }) => place)}::integer[], ${rows.map(({ fromEpoch }) => fromEpoch)}::integer[],
    ${rows.map(({ toEpoch }) => toEpoch)}::integer[])`
}
