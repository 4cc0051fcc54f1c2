import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withTenant } from '../../../lib/tenant.ts'
import type { Batches, BatchQueue } from './batch-queue.ts'
import { createSharedBatches } from './shared-readers.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** Queues that record their departures. */
function rig() {
  const queues: { hasDeparted: boolean }[] = []
  let idle = 0
  const createQueue = (): BatchQueue => {
    const queue = { hasDeparted: false }
    queues.push(queue)
    return { join: () => ({}) as Batches, depart: () => Object.assign(queue, { hasDeparted: true }) }
  }
  const announce = createSharedBatches(createQueue, () => {
    idle += 1
  })
  return { announce, departed: () => queues.map(({ hasDeparted }) => hasDeparted), idle: () => idle }
}

test('a reader without others in its batch departs at once', () => {
  const { announce, departed, idle } = rig()
  const participant = announce()
  expect(departed()).toEqual([false])
  participant.take()
  expect([departed(), participant.isShared(), idle()]).toEqual([[true], false, 0])
  participant.leave()
  expect(idle()).toBe(1)
})

test('readers depart when all that were announced have come, and never wait longer than 30 ms for one', () => {
  const { announce, departed } = rig()
  const [one, other] = [announce(), announce()]
  one.take()
  expect(departed()).toEqual([false])
  other.take()
  expect(departed()).toEqual([true])
  const [early, late] = [announce(), announce()]
  early.take()
  vi.advanceTimersByTime(29)
  expect(departed()).toEqual([true, false])
  vi.advanceTimersByTime(1)
  expect(departed()).toEqual([true, true])
  late.take()
  expect([departed(), late.isShared()]).toEqual([[true, true], true])
})

test('a participant that leaves is not waited for', () => {
  const { announce, departed } = rig()
  const [one, other] = [announce(), announce()]
  one.take()
  other.leave()
  other.leave()
  expect(departed()).toEqual([true])
})

test('among many readers the next ones wait for each other, until they are many or 300 ms have passed', () => {
  const { announce, departed } = rig()
  const many = Array.from({ length: 65 }, () => announce())
  for (const participant of many) participant.take()
  expect(departed()).toEqual([true])
  announce().take()
  vi.advanceTimersByTime(260)
  const second = announce()
  second.take()
  expect(departed()).toEqual([true, false])
  vi.advanceTimersByTime(40)
  expect([departed(), second.isShared()]).toEqual([[true, true], true])
  const full = Array.from({ length: 128 }, () => announce())
  for (const participant of full) participant.take()
  expect(departed()).toEqual([true, true, true])
  for (const participant of [...many, ...full]) participant.leave()
  announce().take()
  expect(departed()).toEqual([true, true, true, true])
})

test('a reader of another tenant does not wait among many', () => {
  const { announce, departed } = rig()
  withTenant('1', () => {
    for (const participant of Array.from({ length: 66 }, () => announce())) participant.take()
  })
  const waiting = withTenant('1', announce)
  waiting.take()
  expect(departed()).toEqual([true, false])
  withTenant('2', announce).take()
  expect([departed(), waiting.isShared()]).toEqual([[true, true], true])
})
