import { type RawBuilder, sql } from 'kysely'
import { rowTable } from '../../db/row-table.ts'
import { type BeaconTimes, type EpochRange, epochsOfPeriod } from '../../domain/beacon-time.ts'

/** First and last of each range, ascending. */
export function rangesOf(multirange: RawBuilder<unknown>): RawBuilder<[number, number][]> {
  return sql`(select coalesce(json_agg(json_build_array(lower(range), upper(range) - 1) order by range), '[]')
    from unnest(${multirange}) as range)`
}

export const asRange = ([fromEpoch, toEpoch]: [number, number]): EpochRange => ({ fromEpoch, toEpoch })

/** As table `part`; `place`: of the list. */
export function rangeTable(lists: readonly (readonly EpochRange[])[]): RawBuilder<unknown> {
  const rows = lists.flatMap((ranges, place) => ranges.map((range) => ({ place, ...range })))
  return rowTable('part', { place: 'integer', fromEpoch: 'integer', toEpoch: 'integer' }, rows)
}

/** All ranges are ascending and disjoint. */
export function splitAt(range: EpochRange, covered: readonly EpochRange[]) {
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

/** Both ends included. */
type Stretch = { from: number; to: number }

export type MissingRow = { index: number; missing: readonly [from: number, to: number][] }

/** Disjoint, newest first: each is read once for all its validators. */
export function groupMissing(rows: readonly MissingRow[]): (Stretch & { validators: number[] })[] {
  const changes = new Map<number, { begin: number[]; end: number[] }>()
  const changesAt = (place: number) => {
    const known = changes.get(place) ?? { begin: [], end: [] }
    changes.set(place, known)
    return known
  }
  for (const { index, from, to } of rows.flatMap(stretchesOf)) {
    changesAt(to).begin.push(index)
    changesAt(from - 1).end.push(index)
  }
  const groups: (Stretch & { validators: number[] })[] = []
  const running = new Set<number>()
  const places = [...changes.keys()].sort((a, b) => b - a)
  for (const [i, to] of places.entries()) {
    for (const validator of changes.get(to)?.end ?? []) running.delete(validator)
    for (const validator of changes.get(to)?.begin ?? []) running.add(validator)
    const below = places[i + 1]
    if (running.size === 0 || below === undefined) continue
    groups.push({ from: below + 1, to, validators: [...running].sort((a, b) => a - b) })
  }
  return groups
}

const stretchesOf = ({ index, missing }: MissingRow) => missing.map(([from, to]) => ({ index, from, to }))

/** `days`: at most one range. */
export function wholeDays(times: BeaconTimes, range: EpochRange): { days: EpochRange[]; edges: EpochRange[] } {
  const first = epochsOfPeriod(times, 'day', range.fromEpoch)
  const last = epochsOfPeriod(times, 'day', range.toEpoch)
  const days = {
    fromEpoch: first.fromEpoch === range.fromEpoch ? first.fromEpoch : first.toEpoch + 1,
    toEpoch: last.toEpoch === range.toEpoch ? last.toEpoch : last.fromEpoch - 1,
  }
  if (days.fromEpoch > days.toEpoch) return { days: [], edges: [range] }
  const before = { fromEpoch: range.fromEpoch, toEpoch: days.fromEpoch - 1 }
  const after = { fromEpoch: days.toEpoch + 1, toEpoch: range.toEpoch }
  return { days: [days], edges: [before, after].filter(({ fromEpoch, toEpoch }) => fromEpoch <= toEpoch) }
}

export function daysOf(times: BeaconTimes, { fromEpoch, toEpoch }: EpochRange): EpochRange[] {
  const days: EpochRange[] = []
  for (let epoch = fromEpoch; epoch <= toEpoch; ) {
    const day = epochsOfPeriod(times, 'day', epoch)
    days.push(day)
    epoch = day.toEpoch + 1
  }
  return days
}
