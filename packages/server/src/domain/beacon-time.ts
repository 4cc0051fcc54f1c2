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

/** Accepts Unix seconds; negative before genesis. */
export function slotAt({ genesisTime, secondsPerSlot }: BeaconTimes, time: number): number {
  return Math.floor((time - genesisTime) / secondsPerSlot)
}

export function epochOfSlot({ slotsPerEpoch }: BeaconTimes, slot: number): number {
  return Math.floor(slot / slotsPerEpoch)
}

/** Returns the start, which decides the epoch's day, week and month. */
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
  const monday = today - daysSinceMonday(today) * SECONDS_PER_DAY
  return { start: monday, end: monday + 7 * SECONDS_PER_DAY }
}

const A_MONDAY = startOfDay('1970-01-05')

function daysSinceMonday(startOfADay: number): number {
  const days = (startOfADay - A_MONDAY) / SECONDS_PER_DAY
  return ((days % 7) + 7) % 7
}
