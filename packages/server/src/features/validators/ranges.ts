import { type RawBuilder, sql } from 'kysely'
import type { EpochRange } from '../../domain/beacon-time.ts'

/** As JSON: first and last of each range, ascending. */
export function rangesOf(multirange: RawBuilder<unknown>): RawBuilder<[number, number][]> {
  return sql`(select coalesce(json_agg(json_build_array(lower(range), upper(range) - 1) order by range), '[]')
    from unnest(${multirange}) as range)`
}

export const asRange = ([fromEpoch, toEpoch]: [number, number]): EpochRange => ({ fromEpoch, toEpoch })

export function unnestRanges(lists: readonly (readonly EpochRange[])[]): RawBuilder<unknown> {
  const rows = lists.flatMap((ranges, place) => ranges.map((range) => ({ place, ...range })))
  return sql`unnest(${rows.map(({ place }) => place)}::integer[], ${rows.map(({ fromEpoch }) => fromEpoch)}::integer[],
    ${rows.map(({ toEpoch }) => toEpoch)}::integer[])`
}

/** All ranges are ascending and disjoint. */
export function splitAt(
  range: EpochRange,
  covered: readonly EpochRange[],
): { inside: EpochRange[]; outside: EpochRange[] } {
  const inside = covered
    .map(({ fromEpoch, toEpoch }) => ({
      fromEpoch: Math.max(fromEpoch, range.fromEpoch),
      toEpoch: Math.min(toEpoch, range.toEpoch),
    }))
    .filter(({ fromEpoch, toEpoch }) => fromEpoch <= toEpoch)
  const begins = [range.fromEpoch, ...inside.map(({ toEpoch }) => toEpoch + 1)]
  const ends = [...inside.map(({ fromEpoch }) => fromEpoch - 1), range.toEpoch]
  const outside = begins
    .map((fromEpoch, i) => ({ fromEpoch, toEpoch: ends[i] ?? range.toEpoch }))
    .filter(({ fromEpoch, toEpoch }) => fromEpoch <= toEpoch)
  return { inside, outside }
}
