import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { openDatabase } from '../../db/database.ts'
import { claimProcess } from './process-claim.ts'
import { createRateLimits } from './rate-limits.ts'

const database = await testDatabase('rates')
afterAll(() => database.drop())

const log = () => undefined

test('three processes admit exactly the limit together', async () => {
  const processes = Array.from({ length: 3 }, () => openDatabase({ connection: database.url, poolMax: 4, log }))
  const limiters = processes.map(({ pool }) => createRateLimits({ pool, log }))
  // As many at a time as there are connections: a long wait for a connection counts for that request.
  const lanes = Array.from({ length: 12 }, async (_, lane) => {
    const taken = []
    for (let i = 0; i < 25; i += 1) taken.push(await limiters[lane % 3]?.take('key:1:default', 100))
    return taken
  })
  const windows = (await Promise.all(lanes)).flat()
  expect(windows.filter((window) => window?.allowed)).toHaveLength(100)
  expect(new Set(windows.map((window) => window?.remaining)).size).toBe(100)
  expect(new Set(windows.map((window) => window?.resetAt)).size).toBeLessThanOrEqual(2)
  expect(await limiters[0]?.take('key:1:default', 100)).toMatchObject({ allowed: false, remaining: 0 })
  expect(await limiters[0]?.take('key:1:beacon', 100)).toMatchObject({ allowed: true, remaining: 99 })
  await Promise.all(processes.map(({ close }) => close()))
})

test('a window that is over starts again', async () => {
  const limits = createRateLimits({ pool: database.pool, log })
  for (let i = 0; i < 3; i += 1) await limits.take('key:2:default', 2)
  expect(await limits.take('key:2:default', 2)).toMatchObject({ allowed: false, remaining: 0 })
  await database.pool.query(`update rate_limit_window set expire = expire - 60000 where key = 'key:2:default'`)
  expect(await limits.take('key:2:default', 2)).toMatchObject({ allowed: true, remaining: 1 })
})

test('without its store a process admits half the limit and says so once', async () => {
  const gone = openDatabase({ connection: 'postgres://127.0.0.1:1/none', poolMax: 1, log })
  const logged: string[] = []
  const limits = createRateLimits({ pool: gone.pool, log: (message) => logged.push(message) })
  const allowed: boolean[] = []
  for (let i = 0; i < 5; i += 1) allowed.push((await limits.take('key:3:default', 5)).allowed)
  expect(allowed).toEqual([true, true, true, false, false])
  expect(logged).toHaveLength(1)
  await gone.close()
})

test('a process that counts alone is the only one; those that share are together', async () => {
  const patienceMs = 200
  const own = await testDatabase('claims')
  const first = await claimProcess({ pool: own.pool, claim: 'alone', log, patienceMs })
  const [alone, sharing] = await Promise.allSettled([
    claimProcess({ pool: own.pool, claim: 'alone', log, patienceMs }),
    claimProcess({ pool: own.pool, claim: 'with others', log, patienceMs }),
  ])
  expect(alone).toMatchObject({
    reason: { name: 'StartupError', message: expect.stringContaining('COFFER_RATE_LIMIT_STORE') },
  })
  expect(sharing).toMatchObject({ reason: { name: 'StartupError' } })
  await first.release()
  const others = await Promise.all(
    [1, 2].map(() => claimProcess({ pool: own.pool, claim: 'with others', log, patienceMs })),
  )
  await expect(claimProcess({ pool: own.pool, claim: 'alone', log, patienceMs })).rejects.toThrow('Another API process')
  await Promise.all(others.map((other) => other.release()))
  await (await claimProcess({ pool: own.pool, claim: 'alone', log, patienceMs })).release()
  await own.drop()
})

test('a claim whose connection is lost is made again', async () => {
  const own = await testDatabase('reclaim')
  const other = openDatabase({ connection: own.url, poolMax: 2, log })
  const claim = await claimProcess({ pool: own.pool, claim: 'alone', log })
  const holders = () =>
    other.pool.query<{ pid: number }>(
      `select pid from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    )
  const [before] = (await holders()).rows
  await other.pool.query('select pg_terminate_backend($1)', [before?.pid])
  const taken = async () => (await holders()).rows.map(({ pid }) => pid === before?.pid)
  await expect.poll(taken).toEqual([false])
  await claim.release()
  await other.close()
  await own.drop()
})
