import {
  type BeaconTimes,
  type EpochRange,
  epochAt,
  epochsOfPeriod,
  firstEpochFrom,
  timeOfEpoch,
} from './beacon-time.ts'
import { dayOf } from './day.ts'

/** How long the buckets are into which the rewards of a range are put. */
export type Granularity = 'epoch' | 'day' | 'week' | 'month'

/** Epochs, or moments in Unix seconds; both ends included. */
export type RewardRange = { rangeType: 'timestamp' | 'epoch'; rangeFrom: number; rangeTo: number }

/** When a bucket is: Unix seconds, the last one included, and their days in UTC. */
type BucketDates = { timestampStart: number; timestampEnd: number; dateStart: string; dateEnd: string }

/** The epochs of a range that lie within others; a moment's range has the epochs that begin in it. Undefined if none do. */
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

/** A range in buckets, newest first; the first and the last end where the range does. */
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

/** A list by pages: what is on one of them, and how many rows all have. */
type Page<T> = { rows: T[]; totalRows: number }

/** `offset` in rows, from 0 on; `limit` of at least 1. */
export type Place = { offset: number; limit: number }

/** A page of the buckets whose epochs are all covered: others are neither listed nor counted. */
export function bucketPage(
  buckets: readonly EpochRange[],
  covered: readonly EpochRange[],
  { offset, limit }: Place,
): Page<EpochRange> {
  const whole = buckets.filter((bucket) => isCovered(bucket, covered))
  return { rows: whole.slice(offset, offset + limit), totalRows: whole.length }
}

/** How many pages so many rows make. */
export function pageCount(totalRows: number, limit: number): number {
  return Math.ceil(totalRows / limit)
}

/** Whether all of a range is in one of these, which neither touch nor overlap. */
export function isCovered({ fromEpoch, toEpoch }: EpochRange, covered: readonly EpochRange[]): boolean {
  return covered.some((range) => range.fromEpoch <= fromEpoch && toEpoch <= range.toEpoch)
}

/** A bucket ends in the second before the epoch after it begins. */
export function datesOf(times: BeaconTimes, { fromEpoch, toEpoch }: EpochRange): BucketDates {
  const timestampStart = timeOfEpoch(times, fromEpoch)
  const timestampEnd = timeOfEpoch(times, toEpoch + 1) - 1
  return { timestampStart, timestampEnd, dateStart: dayOf(timestampStart), dateEnd: dayOf(timestampEnd) }
}
