import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRateLimits } from './rate-limits.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) })
})
afterEach(() => {
  vi.useRealTimers()
})

const log = () => undefined

test('a window runs 60 s from its first request and says when it ends', async () => {
  const limits = createRateLimits({ log })
  vi.setSystemTime(1_000_000_000_250)
  expect(await limits.take('a', 2)).toEqual({
    allowed: true,
    limit: 2,
    remaining: 1,
    resetAt: 1_000_000_061,
    retryAfterSeconds: 60,
  })
  vi.setSystemTime(1_000_000_030_000)
  expect(await limits.take('a', 2)).toMatchObject({ allowed: true, remaining: 0, resetAt: 1_000_000_061 })
  const refused = await limits.take('a', 2)
  expect(refused).toMatchObject({ allowed: false, remaining: 0, resetAt: 1_000_000_061, retryAfterSeconds: 31 })
  expect(await limits.take('b', 2)).toMatchObject({ allowed: true, remaining: 1 })
})

test('memory answers without a promise, and forgets windows that are over', () => {
  const limits = createRateLimits({ log })
  expect([1, 2, 3].map(() => limits.take('a', 2))).toMatchObject([
    { allowed: true, remaining: 1 },
    { allowed: true, remaining: 0 },
    { allowed: false, remaining: 0 },
  ])
  vi.setSystemTime(Date.now() + 59_999)
  expect(limits.take('a', 2)).toMatchObject({ allowed: false, retryAfterSeconds: 1 })
  vi.setSystemTime(Date.now() + 1)
  expect(limits.take('a', 2)).toMatchObject({ allowed: true, remaining: 1, retryAfterSeconds: 60 })
})

test('of two windows the full one refuses, and the other does not count the request', async () => {
  const limits = createRateLimits({ log })
  const take = (user: string) => limits.takeBoth({ subject: user, limit: 2 }, { subject: 'account', limit: 3 })
  const taken = []
  for (const user of ['a', 'a', 'a', 'b', 'b']) taken.push(await take(user))
  expect(taken.map(({ allowed, limit }) => [allowed, limit])).toEqual([
    [true, 2],
    [true, 2],
    [false, 2],
    [true, 2],
    [false, 3],
  ])
  // A request refused by the account's limit does not count for its user.
  expect(limits.take('b', 2)).toMatchObject({ allowed: true, remaining: 0 })
})

test('no window admits more than its limit, and waiting the stated time always admits', async () => {
  const gap = fc.nat({ max: 20_000 })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 20 }), fc.array(gap, { maxLength: 60 }), async (limit, gaps) => {
      const limits = createRateLimits({ log })
      let admitted = 0
      let end = 0
      for (const ms of gaps) {
        vi.setSystemTime(Date.now() + ms)
        if (Date.now() >= end) {
          admitted = 0
          end = Date.now() + 60_000
        }
        const window = await limits.take('subject', limit)
        if (window.allowed) admitted += 1
        expect(admitted).toBeLessThanOrEqual(limit)
        expect(window.remaining).toBe(limit - admitted)
        if (window.allowed) continue
        expect(admitted).toBe(limit)
        vi.setSystemTime(Date.now() + window.retryAfterSeconds * 1000)
        expect(await limits.take('subject', limit)).toMatchObject({ allowed: true, remaining: limit - 1 })
        admitted = 1
        end = Date.now() + 60_000
      }
    }),
  )
})
