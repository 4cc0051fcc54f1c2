import fc from 'fast-check'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { openDatabase } from '../../db/database.ts'
import { createRateLimits } from './rate-limits.ts'

const database = await testDatabase('rates')
afterAll(() => database.drop())

let now: number
const clock = { now: () => now }
const log = () => undefined
const open = (pool = database.pool) => createRateLimits({ pool, clock, log })

beforeEach(async () => {
  now = 1_000_000_000_250
  await database.pool.query('truncate rate_limit_window')
})

test('three processes admit exactly the limit together', async () => {
  const processes = Array.from({ length: 3 }, () => openDatabase({ connection: database.url, poolMax: 4, log }))
  const limiters = processes.map(({ pool }) => open(pool))
  const rates = await Promise.all(Array.from({ length: 300 }, (_, i) => limiters[i % 3]?.take('key:1:default', 100)))
  expect(rates.filter((rate) => rate?.allowed)).toHaveLength(100)
  expect(new Set(rates.map((rate) => rate?.resetAt))).toEqual(new Set([1_000_000_061]))
  expect(await limiters[0]?.take('key:1:default', 100)).toMatchObject({ allowed: false, remaining: 0 })
  expect(await limiters[0]?.take('key:1:beacon', 100)).toMatchObject({ allowed: true, remaining: 99 })
  await Promise.all(processes.map(({ close }) => close()))
})

test('a process leaves at most a 60th of a limit unused, and nothing near its end', async () => {
  const [idle, busy] = [open(), open()]
  expect(await idle.take('subject', 600)).toMatchObject({ allowed: true, remaining: 599 })
  let admitted = 0
  while ((await busy.take('subject', 600)).allowed) admitted += 1
  // The first process used one call of a lease of 1 + 600 / 60.
  expect(admitted).toBe(600 - 11)
  for (let i = 0; i < 10; i += 1) expect(await idle.take('subject', 600)).toMatchObject({ allowed: true })
  expect(await idle.take('subject', 600)).toMatchObject({ allowed: false })

  expect(await idle.take('small', 8)).toMatchObject({ allowed: true, remaining: 7 })
  for (let i = 0; i < 7; i += 1) expect(await busy.take('small', 8)).toMatchObject({ allowed: true, remaining: 6 - i })
  expect(await busy.take('small', 8)).toMatchObject({ allowed: false, remaining: 0 })
})

test('within a lease, and after the limit, no statement is sent', async () => {
  let statements = 0
  const counting = { query: (...statement: Parameters<typeof query>) => count(statement) } as typeof database.pool
  const query = database.pool.query.bind(database.pool) as (text: string, values: unknown[]) => unknown
  const count = (statement: Parameters<typeof query>) => {
    statements += 1
    return query(...statement)
  }
  const limits = open(counting)
  const taken = async () => (await limits.take('subject', 600)).allowed
  await taken()
  const before = statements
  for (let i = 0; i < 10; i += 1) expect(limits.take('subject', 600)).toMatchObject({ allowed: true })
  expect(statements).toBe(before)
  while (await taken());
  const exhausted = statements
  for (let i = 0; i < 100; i += 1) expect(limits.take('subject', 600)).toMatchObject({ allowed: false, remaining: 0 })
  expect(statements).toBe(exhausted)
})

test('a window runs 60 s from its first request and says when it ends', async () => {
  const limits = open()
  expect(await limits.take('a', 2)).toEqual({
    allowed: true,
    limit: 2,
    remaining: 1,
    resetAt: 1_000_000_061,
    retryAfterSeconds: 60,
  })
  now = 1_000_000_030_000
  expect(await limits.take('a', 2)).toMatchObject({ allowed: true, remaining: 0, resetAt: 1_000_000_061 })
  const refused = await limits.take('a', 2)
  expect(refused).toMatchObject({ allowed: false, remaining: 0, resetAt: 1_000_000_061, retryAfterSeconds: 31 })
  expect(await limits.take('b', 2)).toMatchObject({ allowed: true, remaining: 1 })
  now = 1_000_000_060_249
  expect(await limits.take('a', 2)).toMatchObject({ allowed: false, retryAfterSeconds: 1 })
  now += 1
  expect(await limits.take('a', 2)).toMatchObject({ allowed: true, remaining: 1, retryAfterSeconds: 60 })
})

test('of two windows the full one refuses, and the other does not count the request', async () => {
  const limits = open()
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
  expect(await limits.take('b', 2)).toMatchObject({ allowed: true, remaining: 0 })
})

test('any text is a subject of its own, and none disturbs others', async () => {
  const limits = open()
  const subjects = ['a\0', 'a\\0', 'a', 'a\ud800', "a'"]
  const takeAll = () => Promise.all(subjects.map((subject) => limits.take(subject, 5)))
  for (let left = 4; left >= 0; left -= 1) {
    expect(await takeAll()).toEqual(subjects.map(() => expect.objectContaining({ allowed: true, remaining: left })))
  }
  expect(await takeAll()).toEqual(subjects.map(() => expect.objectContaining({ allowed: false })))
})

test('a raised limit holds at once', async () => {
  const limits = open()
  expect(await limits.take('a', 1)).toMatchObject({ allowed: true })
  expect(await limits.take('a', 1)).toMatchObject({ allowed: false })
  expect(await limits.take('a', 3)).toMatchObject({ allowed: true, remaining: 1 })
})

test('no window admits more than its limit, and waiting the stated time always admits', async () => {
  const gap = fc.nat({ max: 20_000 })
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 130 }), fc.array(gap, { maxLength: 60 }), async (limit, gaps) => {
      const limits = open()
      runs += 1
      const subject = `random ${runs}`
      let admitted = 0
      let end = 0
      for (const ms of gaps) {
        now += ms
        if (now >= end) {
          admitted = 0
          end = now + 60_000
        }
        const window = await limits.take(subject, limit)
        if (window.allowed) admitted += 1
        expect(admitted).toBeLessThanOrEqual(limit)
        expect(window.remaining).toBe(limit - admitted)
        if (window.allowed) continue
        expect(admitted).toBe(limit)
        now += window.retryAfterSeconds * 1000
        expect(await limits.take(subject, limit)).toMatchObject({ allowed: true, remaining: limit - 1 })
        admitted = 1
        end = now + 60_000
      }
    }),
  )
})

test('a window of a wrong clock does not last', async () => {
  await database.pool.query(`insert into rate_limit_window values ('a', 1000, $1)`, [now + 3_600_000])
  expect(await open().take('a', 2)).toMatchObject({ allowed: true, remaining: 1, retryAfterSeconds: 60 })
})

test('windows that ended a minute ago are deleted', async () => {
  const limits = open()
  await limits.take('a', 2)
  now += 121_000
  await limits.take('b', 2)
  const subjects = async () => (await database.pool.query('select subject from rate_limit_window')).rows
  await expect.poll(subjects).toEqual([{ subject: 'b' }])
})

test('without the database a process admits half the limit and says so once', async () => {
  const gone = openDatabase({ connection: 'postgres://127.0.0.1:1/none', poolMax: 1, log })
  const logged: string[] = []
  const limits = createRateLimits({ pool: gone.pool, clock, log: (message) => logged.push(message) })
  const allowed: boolean[] = []
  for (let i = 0; i < 5; i += 1) allowed.push((await limits.take('key:3:default', 5)).allowed)
  expect(allowed).toEqual([true, true, true, false, false])
  expect(logged).toHaveLength(1)
  await gone.close()
})
