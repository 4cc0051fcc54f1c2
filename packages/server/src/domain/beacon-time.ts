import { startOfDay } from './day.ts'

/** `genesisTime`: Unix seconds. */
export type BeaconTimes = { genesisTime: number; secondsPerSlot: number; slotsPerEpoch: number }

/** Both inclusive. */
export type EpochRange = { fromEpoch: number; toEpoch: number }

/** UTC; ISO 8601 weeks. */
export type Period = 'day' | 'week' | 'month'

const SECONDS_PER_DAY = 86_400

/** Returns Unix seconds. */
export function timeOfSlot({ genesisTime, secondsPerSlot }: BeaconTimes, slot: number): number {
  return genesisTime + slot * secondsPerSlot
}

export function slotAt({ genesisTime, secondsPerSlot }: BeaconTimes, time: number): number {
  return Math.floor((time - genesisTime) / secondsPerSlot)
}

export function epochOfSlot({ slotsPerEpoch }: BeaconTimes, slot: number): number {
  return Math.floor(slot / slotsPerEpoch)
}

export function timeOfEpoch(times: BeaconTimes, epoch: number): number {
  return timeOfSlot(times, epoch * times.slotsPerEpoch)
}

export function epochAt(times: BeaconTimes, time: number): number {
  return epochOfSlot(times, slotAt(times, time))
}

export function firstEpochFrom(times: BeaconTimes, time: number): number {
  const epoch = epochAt(times, time)
  return Math.max(0, timeOfEpoch(times, epoch) === time ? epoch : epoch + 1)
}

export function epochsOfPeriod(times: BeaconTimes, period: Period, epoch: number): EpochRange {
  const { start, end } = periodOf(period, timeOfEpoch(times, epoch))
  return { fromEpoch: firstEpochFrom(times, start), toEpoch: firstEpochFrom(times, end) - 1 }
}

function periodOf(period: Period, time: number): { start: number; end: number } {
  if (period === 'month') {
    const date = new Date(time * 1_000)
    const startOfMonth = (month: number) => Date.UTC(date.getUTCFullYear(), month) / 1_000
    return { start: startOfMonth(date.getUTCMonth()), end: startOfMonth(date.getUTCMonth() + 1) }
  }
  const today = time - (time % SECONDS_PER_DAY)
  if (period === 'day') return { start: today, end: today + SECONDS_PER_DAY }
  const monday = today - ((((today - A_MONDAY) % A_WEEK) + A_WEEK) % A_WEEK)
  return { start: monday, end: monday + A_WEEK }
}

const A_MONDAY = startOfDay('1970-01-05')
const A_WEEK = 7 * SECONDS_PER_DAY
