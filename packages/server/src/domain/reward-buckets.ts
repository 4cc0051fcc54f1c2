import {
  type BeaconTimes,
  type EpochRange,
  epochAt,
  epochsOfPeriod,
  firstEpochFrom,
  timeOfEpoch,
} from './beacon-time.ts'
import { dayOf } from './day.ts'

export type Granularity = 'epoch' | 'day' | 'week' | 'month'

/** Epochs or Unix seconds; both inclusive. */
export type RewardRange = { rangeType: 'timestamp' | 'epoch'; rangeFrom: number; rangeTo: number }

export function epochsWithin(
  times: BeaconTimes,
  { rangeType, rangeFrom, rangeTo }: RewardRange,
  within: EpochRange,
): EpochRange | undefined {
  const byTime = rangeType === 'timestamp'
  const fromEpoch = Math.max(within.fromEpoch, byTime ? firstEpochFrom(times, rangeFrom) : rangeFrom)
  const toEpoch = Math.min(within.toEpoch, byTime ? epochAt(times, rangeTo) : rangeTo)
  return fromEpoch <= toEpoch ? { fromEpoch, toEpoch } : undefined
}

/** Returns the newest first. */
export function bucketsOf(times: BeaconTimes, granularity: Granularity, range: EpochRange): EpochRange[] {
  const buckets: EpochRange[] = []
  for (let toEpoch = range.toEpoch; toEpoch >= range.fromEpoch; ) {
    const first = granularity === 'epoch' ? toEpoch : epochsOfPeriod(times, granularity, toEpoch).fromEpoch
    const fromEpoch = Math.max(first, range.fromEpoch)
    buckets.push({ fromEpoch, toEpoch })
    toEpoch = fromEpoch - 1
  }
  return buckets
}

export type Place = { offset: number; limit: number }

/** Neither lists nor counts buckets with uncovered epochs. */
export function bucketPage(buckets: readonly EpochRange[], covered: readonly EpochRange[], { offset, limit }: Place) {
  const whole = buckets.filter((bucket) => isCovered(bucket, covered))
  return { rows: whole.slice(offset, offset + limit), totalRows: whole.length }
}

export function pageCount(totalRows: number, limit: number): number {
  return Math.ceil(totalRows / limit)
}

/** Requires merged ranges. */
export function isCovered({ fromEpoch, toEpoch }: EpochRange, covered: readonly EpochRange[]): boolean {
  return covered.some((range) => range.fromEpoch <= fromEpoch && toEpoch <= range.toEpoch)
}

/** Unix seconds, both inclusive; UTC days. */
export function datesOf(times: BeaconTimes, { fromEpoch, toEpoch }: EpochRange) {
  const timestampStart = timeOfEpoch(times, fromEpoch)
  const timestampEnd = timeOfEpoch(times, toEpoch + 1) - 1
  return { timestampStart, timestampEnd, dateStart: dayOf(timestampStart), dateEnd: dayOf(timestampEnd) }
}
