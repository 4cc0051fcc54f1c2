import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { createEventLoopMonitor } from './event-loop.ts'

afterEach(() => vi.useRealTimers())

test('a blocked loop counts in the window of half a second in which it was blocked, and not in the next', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { delayMs, stop } = createEventLoopMonitor()
  expect(delayMs()).toBe(0)
  // The first sample begins the measurement.
  await wait(20)
  for (const until = performance.now() + 200; performance.now() < until; );
  await wait(0)
  vi.advanceTimersByTime(500)
  expect(delayMs()).toBeGreaterThan(0)
  vi.advanceTimersByTime(500)
  expect(delayMs()).toBe(0)
  stop()
})
