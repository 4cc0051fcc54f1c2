import { expect, it } from 'vitest'
import { freshCapabilities } from './capabilities.ts'
import { noteRefused, offers } from './offers.ts'

const MINUTE_MS = 60_000

it('asks again for what was refused after ten minutes, later each time, and after six hours at most', () => {
  let now = 1_000_000
  const learner = { label: 'a node', capabilities: freshCapabilities(), clock: { now: () => now } }
  const pauseOf = (): number => {
    const refusedAt = now
    noteRefused(learner, 'eth_getLogs')
    // Simultaneous refusals count as one.
    noteRefused(learner, 'eth_getLogs')
    while (!offers(learner, 'eth_getLogs')) now += MINUTE_MS
    return (now - refusedAt) / MINUTE_MS
  }
  expect(Array.from({ length: 8 }, pauseOf)).toEqual([10, 20, 40, 80, 160, 320, 360, 360])
  expect(offers(learner, 'trace_block')).toBe(true)
  // It served for a time in between.
  now += 12 * 60 * MINUTE_MS
  expect(pauseOf()).toBe(10)
})
