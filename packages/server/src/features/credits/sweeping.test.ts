import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startSweeping } from './sweeping.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('holds are swept at least every 30 s, also after a failure, until it is stopped', async () => {
  const logged: string[] = []
  const answers = [() => 3, () => 0, () => Promise.reject(new Error('no database')), () => 1]
  let sweeps = 0
  const sweep = async () => answers[sweeps++]?.() ?? 0
  const stop = startSweeping(sweep, (message) => logged.push(message))
  for (let half = 0; half < 4; half += 1) {
    const before = sweeps
    await vi.advanceTimersByTimeAsync(30_000)
    expect(sweeps).toBeGreaterThan(before)
  }
  expect(logged).toEqual([
    'gave back 3 expired credit holds',
    'expired credit holds could not be given back; the next sweep tries again',
    'gave back 1 expired credit holds',
  ])
  await stop()
  const stopped = sweeps
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sweeps).toBe(stopped)
})
