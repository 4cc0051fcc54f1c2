import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type BeaconTimes,
  epochAt,
  epochOfSlot,
  epochsOfPeriod,
  firstEpochFrom,
  slotAt,
  timeOfEpoch,
  timeOfSlot,
} from './beacon-time.ts'

const MAINNET: BeaconTimes = { genesisTime: 1_606_824_023, secondsPerSlot: 12, slotsPerEpoch: 32 }
const at = (iso: string) => Date.parse(iso) / 1_000

test('epochs of mainnet are when they were', () => {
  // Fork epochs of mainnet, with the times of their announcements.
  const forks: [epoch: number, time: string][] = [
    [0, '2020-12-01T12:00:23Z'],
    [74_240, '2021-10-27T10:56:23Z'],
    [144_896, '2022-09-06T11:34:47Z'],
    [194_048, '2023-04-12T22:27:35Z'],
    [269_568, '2024-03-13T13:55:35Z'],
    [364_032, '2025-05-07T10:05:11Z'],
  ]
  for (const [epoch, time] of forks) {
    expect([timeOfEpoch(MAINNET, epoch), epochAt(MAINNET, at(time))]).toEqual([at(time), epoch])
    expect(epochAt(MAINNET, at(time) - 1)).toBe(epoch - 1)
    expect([firstEpochFrom(MAINNET, at(time)), firstEpochFrom(MAINNET, at(time) + 1)]).toEqual([epoch, epoch + 1])
  }
})

test('the block of the Merge is in the slot that it carries', () => {
  expect(slotAt(MAINNET, 1_663_224_179)).toBe(4_700_013)
  expect(timeOfSlot(MAINNET, 4_700_013)).toBe(1_663_224_179)
  expect(epochOfSlot(MAINNET, 4_700_013)).toBe(146_875)
})

test('before genesis there is no epoch, and the first is the first', () => {
  expect([slotAt(MAINNET, 0) < 0, epochAt(MAINNET, MAINNET.genesisTime - 1)]).toEqual([true, -1])
  expect(firstEpochFrom(MAINNET, 0)).toBe(0)
})

test('an epoch belongs to the day, week and month in which it begins', () => {
  // 2024-02-29 was a Thursday of the week from Monday 26 February to Sunday 3 March.
  const epoch = firstEpochFrom(MAINNET, at('2024-02-29T23:55:00Z'))
  const between = (from: string, to: string) => ({
    fromEpoch: firstEpochFrom(MAINNET, at(from)),
    toEpoch: firstEpochFrom(MAINNET, at(to)) - 1,
  })
  expect(epochsOfPeriod(MAINNET, 'day', epoch)).toEqual(between('2024-02-29T00:00:00Z', '2024-03-01T00:00:00Z'))
  expect(epochsOfPeriod(MAINNET, 'week', epoch)).toEqual(between('2024-02-26T00:00:00Z', '2024-03-04T00:00:00Z'))
  expect(epochsOfPeriod(MAINNET, 'month', epoch)).toEqual(between('2024-02-01T00:00:00Z', '2024-03-01T00:00:00Z'))
  // The first day began at noon.
  expect(epochsOfPeriod(MAINNET, 'day', 5)).toEqual(between('2020-12-01T12:00:23Z', '2020-12-02T00:00:00Z'))
})

test('a period has the epochs of its name, and no other', () => {
  /** Calendar names, the week by its Thursday. */
  const names = {
    day: (date: Date) => date.toISOString().slice(0, 10),
    month: (date: Date) => date.toISOString().slice(0, 7),
    week: (date: Date) => {
      const thursday = new Date(date)
      thursday.setUTCDate(date.getUTCDate() + 4 - (date.getUTCDay() || 7))
      const yearDay =
        (Date.UTC(thursday.getUTCFullYear(), thursday.getUTCMonth(), thursday.getUTCDate()) -
          Date.UTC(thursday.getUTCFullYear(), 0, 1)) /
        86_400_000
      return `${thursday.getUTCFullYear()}-W${1 + Math.floor(yearDay / 7)}`
    },
  }
  const period = fc.constantFrom('day' as const, 'week' as const, 'month' as const)
  fc.assert(
    fc.property(period, fc.integer({ min: 0, max: 2_000_000 }), (of, epoch) => {
      const nameOf = (e: number) => names[of](new Date(timeOfEpoch(MAINNET, e) * 1_000))
      const { fromEpoch, toEpoch } = epochsOfPeriod(MAINNET, of, epoch)
      expect([fromEpoch <= epoch, epoch <= toEpoch]).toEqual([true, true])
      expect([nameOf(fromEpoch), nameOf(toEpoch)]).toEqual([nameOf(epoch), nameOf(epoch)])
      expect(nameOf(toEpoch + 1)).not.toBe(nameOf(epoch))
      if (fromEpoch > 0) expect(nameOf(fromEpoch - 1)).not.toBe(nameOf(epoch))
    }),
    { numRuns: 2_000 },
  )
})
