import { type RawBuilder, sql } from 'kysely'
import type { EpochRange } from '../../domain/beacon-time.ts'

/** Lists of ranges as rows `(place, from_epoch, to_epoch)`, the place being that of the list. */
export function unnestRanges(lists: readonly (readonly EpochRange[])[]): RawBuilder<unknown> {
  const rows = lists.flatMap((ranges, place) => ranges.map((range) => ({ place, ...range })))
  return sql`unnest(${rows.map(({ place }) => place)}::integer[], ${rows.map(({ fromEpoch }) => fromEpoch)}::integer[],
    ${rows.map(({ toEpoch }) => toEpoch)}::integer[])`
}
