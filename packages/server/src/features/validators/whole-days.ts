import { type BeaconTimes, type EpochRange, epochsOfPeriod } from '../../domain/beacon-time.ts'

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
