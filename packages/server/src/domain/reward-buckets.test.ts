import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededRandom } from '../../test/random.ts'
import type { BeaconTimes, EpochRange } from './beacon-time.ts'
import {
  bucketPage,
  bucketsOf,
  datesOf,
  epochsWithin,
  type Granularity,
  isCovered,
  pageCount,
  type RewardRange,
} from './reward-buckets.ts'

const MAINNET: BeaconTimes = { genesisTime: 1_606_824_023, secondsPerSlot: 12, slotsPerEpoch: 32 }
const { seed } = seededRandom('reward buckets')
const DAY = 86_400

const at = (iso: string) => Date.parse(iso) / 1_000
const range = (fromEpoch: number, toEpoch: number): EpochRange => ({ fromEpoch, toEpoch })

/** Independent computation: names every epoch by a calendar and groups equal names. */
function listedBuckets(
  times: BeaconTimes,
  granularity: Granularity,
  wanted: RewardRange,
  within: EpochRange,
): number[][] {
  const names: Record<Granularity, (time: number, epoch: number) => string> = {
    epoch: (_, epoch) => `${epoch}`,
    day: (time) => new Date(time * 1_000).toISOString().slice(0, 10),
    // The Thursday determines a week's name.
    week: (time) => {
      const date = new Date(time * 1_000)
      date.setUTCDate(date.getUTCDate() + 4 - (date.getUTCDay() || 7))
      return date.toISOString().slice(0, 10)
    },
    month: (time) => new Date(time * 1_000).toISOString().slice(0, 7),
  }
  const buckets = new Map<string, number[]>()
  for (let epoch = within.toEpoch; epoch >= within.fromEpoch; epoch -= 1) {
    const time = times.genesisTime + epoch * times.slotsPerEpoch * times.secondsPerSlot
    const place = wanted.rangeType === 'epoch' ? epoch : time
    if (place < wanted.rangeFrom || place > wanted.rangeTo) continue
    const name = names[granularity](time, epoch)
    buckets.set(name, [epoch, ...(buckets.get(name) ?? [])])
  }
  return [...buckets.values()]
}

const granularity = fc.constantFrom<Granularity>('epoch', 'day', 'week', 'month')

/** Chains with epochs from minutes to half a day, so that some hundred of them span days, or years. */
const chain = fc.record({
  genesisTime: fc.integer({ min: at('2019-12-20T00:00:00Z'), max: at('2024-03-02T00:00:00Z') }),
  secondsPerSlot: fc.constantFrom(4, 12, 60, 450, 1_350),
  slotsPerEpoch: fc.constantFrom(8, 32),
})

const asked = fc
  .record({
    times: chain,
    granularity,
    byTime: fc.boolean(),
    first: fc.integer({ min: 0, max: 300 }),
    known: fc.integer({ min: -10, max: 400 }),
    from: fc.integer({ min: 0, max: 700 }),
    length: fc.integer({ min: 0, max: 500 }),
    shift: fc.integer({ min: -1, max: 1 }),
  })
  .map(({ times, byTime, first, known, from, length, shift, ...rest }) => {
    const seconds = times.secondsPerSlot * times.slotsPerEpoch
    const timeOf = (epoch: number) => times.genesisTime + epoch * seconds + shift
    const wanted: RewardRange = byTime
      ? { rangeType: 'timestamp', rangeFrom: timeOf(from - 100), rangeTo: timeOf(from - 100 + length) }
      : { rangeType: 'epoch', rangeFrom: from, rangeTo: from + length }
    return { ...rest, times, wanted, within: range(first, first + known) }
  })

test('buckets are those of a calendar that looks at every epoch', () => {
  fc.assert(
    fc.property(asked, ({ times, granularity: size, wanted, within }) => {
      const epochs = epochsWithin(times, wanted, within)
      const buckets = epochs ? bucketsOf(times, size, epochs) : []
      const expected = listedBuckets(times, size, wanted, within)
      expect(buckets).toEqual(expected.map((listed) => range(listed[0] ?? -1, listed.at(-1) ?? -1)))
      // Contiguous buckets, from the newest epoch down to the oldest.
      let next = epochs?.toEpoch ?? 0
      for (const bucket of buckets) {
        expect([bucket.toEpoch, bucket.fromEpoch <= bucket.toEpoch]).toEqual([next, true])
        next = bucket.fromEpoch - 1
      }
      if (epochs) expect(next).toBe(epochs.fromEpoch - 1)
    }),
    { numRuns: 5_000, seed },
  )
})

test('pages hold every bucket that is covered whole once, newest first, and say how many there are', () => {
  const stretches = fc.array(fc.tuple(fc.integer({ min: 0, max: 700 }), fc.integer({ min: 0, max: 200 })), {
    maxLength: 4,
  })
  fc.assert(
    fc.property(asked, stretches, fc.integer({ min: 1, max: 10 }), (of, some, limit) => {
      const { times, granularity: size, wanted, within } = of
      const known = new Set(some.flatMap(([from, length]) => Array.from({ length: length + 1 }, (_, i) => from + i)))
      const covered = [...known]
        .filter((epoch) => !known.has(epoch - 1))
        .sort((a, b) => a - b)
        .map((from) => {
          let to = from
          while (known.has(to + 1)) to += 1
          return range(from, to)
        })
      const expected = listedBuckets(times, size, wanted, within)
        .filter((epochs) => epochs.every((epoch) => known.has(epoch)))
        .map((epochs) => range(epochs[0] ?? -1, epochs.at(-1) ?? -1))
      const epochs = epochsWithin(times, wanted, within)
      const buckets = epochs ? bucketsOf(times, size, epochs) : []
      const pages: EpochRange[][] = []
      for (let offset = 0; pages.length === 0 || offset < expected.length; offset += limit) {
        const { rows, totalRows } = bucketPage(buckets, covered, { offset, limit })
        expect([totalRows, pageCount(totalRows, limit)]).toEqual([expected.length, Math.ceil(expected.length / limit)])
        pages.push(rows)
      }
      expect(pages.flat()).toEqual(expected)
      expect(bucketPage(buckets, covered, { offset: expected.length, limit }).rows).toEqual([])
    }),
    { numRuns: 5_000, seed },
  )
})

test('the dates of a bucket are those of its first and its last second', () => {
  fc.assert(
    fc.property(asked, ({ times, granularity: size, within }) => {
      if (within.fromEpoch > within.toEpoch) return
      const buckets = bucketsOf(times, size, within)
      const dates = buckets.map((bucket) => datesOf(times, bucket))
      for (const [i, { timestampStart, timestampEnd, dateStart, dateEnd }] of dates.entries()) {
        const seconds = times.secondsPerSlot * times.slotsPerEpoch
        const { fromEpoch, toEpoch } = buckets[i] ?? within
        expect(timestampStart).toBe(times.genesisTime + fromEpoch * seconds)
        expect(timestampEnd - timestampStart + 1).toBe((toEpoch - fromEpoch + 1) * seconds)
        expect([dateStart, dateEnd].map((date) => at(`${date}T00:00:00Z`))).toEqual(
          [timestampStart, timestampEnd].map((time) => time - (time % DAY)),
        )
        if (i > 0) expect(dates[i - 1]?.timestampStart).toBe(timestampEnd + 1)
      }
    }),
    { numRuns: 1_000, seed },
  )
})

test('months of mainnet begin with the Merge and end where epochs are final', () => {
  const wanted: RewardRange = { rangeType: 'timestamp', rangeFrom: 0, rangeTo: at('2022-12-31T23:59:59Z') }
  const within = range(146_875, 164_000)
  expect(epochsWithin(MAINNET, wanted, within)).toEqual(within)
  const months = bucketsOf(MAINNET, 'month', within).map((bucket) => ({ ...bucket, ...datesOf(MAINNET, bucket) }))
  // 2022-10-01T00:00:00Z is 1,664,582,400: 150,412.4 epochs after genesis. The next one begins at 00:03:35. November:
  // 1,667,260,800, 157,387.4; 00:03:35 again. The last one ends 164,001 epochs after genesis.
  const month = (epochs: EpochRange, start: string, end: number, dateStart: string, dateEnd: string) => ({
    ...{ ...epochs, timestampStart: at(start), timestampEnd: end, dateStart, dateEnd },
  })
  expect(months).toEqual([
    month(
      range(157_388, 164_000),
      '2022-11-01T00:03:35Z',
      1_606_824_023 + 164_001 * 384 - 1,
      '2022-11-01',
      '2022-11-30',
    ),
    month(range(150_413, 157_387), '2022-10-01T00:03:35Z', at('2022-11-01T00:03:34Z'), '2022-10-01', '2022-11-01'),
    month(range(146_875, 150_412), '2022-09-15T06:40:23Z', at('2022-10-01T00:03:34Z'), '2022-09-15', '2022-10-01'),
  ])
})

test('a range by time has the epochs that begin in it', () => {
  const within = range(0, 10_000)
  const byTime = (rangeFrom: number, rangeTo: number) =>
    epochsWithin(MAINNET, { rangeType: 'timestamp', rangeFrom, rangeTo }, within)
  const begins = MAINNET.genesisTime + 7 * 384
  expect(byTime(begins, begins)).toEqual(range(7, 7))
  expect(byTime(begins + 1, begins + 383)).toBeUndefined()
  expect(byTime(begins + 1, begins + 384)).toEqual(range(8, 8))
  expect(byTime(0, MAINNET.genesisTime - 1)).toBeUndefined()
  expect(byTime(Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER)).toBeUndefined()
})

test.each([
  [range(1, 4), true],
  [range(7, 7), true],
  [range(4, 6), false],
  [range(0, 1), false],
  [range(9, 10), false],
])('a bucket is covered when one range has all of it: %j %s', (bucket, expected) => {
  expect(isCovered(bucket, [range(1, 4), range(6, 9)])).toBe(expected)
})
