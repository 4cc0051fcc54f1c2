import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDeadlines } from './deadlines.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const never = new Promise<never>(() => undefined)

test('each request has its own time, also those that begin while others run or after all have ended', async () => {
  const deadlines = createDeadlines({ limitMs: 100 })
  const refused: string[] = []
  const begin = (name: string) => {
    const deadline = deadlines.begin()
    Promise.resolve(deadline.wait(never)).catch(({ code }) => refused.push(`${name} ${code}`))
    return deadline
  }
  begin('first')
  await vi.advanceTimersByTimeAsync(60)
  begin('second')
  begin('ended').end()
  await vi.advanceTimersByTimeAsync(39)
  expect(refused).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(refused).toEqual(['first OVERLOADED'])
  await vi.advanceTimersByTimeAsync(59)
  expect(refused).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(refused).toEqual(['first OVERLOADED', 'second OVERLOADED'])
  await vi.advanceTimersByTimeAsync(1_000)
  begin('third')
  await vi.advanceTimersByTimeAsync(99)
  expect(refused).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(1)
  expect(refused[2]).toBe('third OVERLOADED')
})

test('what is there already costs no promise, and is refused once the time is over', async () => {
  const deadline = createDeadlines({ limitMs: 100 }).begin()
  expect(deadline.wait(7)).toBe(7)
  await vi.advanceTimersByTimeAsync(100)
  expect(() => deadline.wait(7)).toThrow('The request took too long')
  const late: number[] = []
  await expect(deadline.wait(Promise.resolve(8), (result) => late.push(result))).rejects.toThrow('took too long')
  expect(late).toEqual([8])
})
