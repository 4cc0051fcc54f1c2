import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { suiteDatabase } from '../../test/database.ts'
import { HANGS_MS } from '../../test/hangs.ts'
import type { Trx } from '../db/tables.ts'
import { createLogger } from '../lib/logger.ts'
import { createJobs, type JobHandler, type JobOptions, type Jobs } from './queue.ts'

const holdJob = fileURLToPath(new URL('../../test/hold-job.ts', import.meta.url))

type Named = { key: string }

const database = await suiteDatabase('jobs')
const started: Jobs[] = []
let names = 0

afterEach(async () => {
  await Promise.all(started.splice(0).map((jobs) => jobs.stop()))
})

const newName = () => `test-${++names}`

async function startJobs(
  name: string,
  handler: JobHandler<Named>,
  options: JobOptions & { works?: boolean; every?: number } = {},
): Promise<Jobs> {
  const { works = true, every, ...ofName } = options
  const timing = { pollSeconds: 0.5, superviseSeconds: 1, drainLimitMs: 2_000 }
  const jobs = createJobs({ connection: database.url, log: createLogger({ level: 'silent' }), works, timing })
  const definition = { name, handler, options: { retryDelaySeconds: 1, ...ofName } }
  await jobs.start([{ ...definition, ...(every !== undefined && { everySeconds: every }) }])
  started.push(jobs)
  return jobs
}

/** `reached(n)` resolves after `n` arrivals. */
function counter<T>() {
  const seen: T[] = []
  return {
    seen,
    add: (item: T) => void seen.push(item),
    reached: (count: number) =>
      vi.waitFor(() => expect(seen.length).toBeGreaterThanOrEqual(count), { timeout: HANGS_MS, interval: 20 }),
  }
}

const send = (jobs: Jobs, name: string, key: string) => jobs.send(name, { key }, { singletonKey: key })

async function statesOf(name: string): Promise<string[]> {
  const { rows } = await database.pool.query('select state from jobs.job where name = $1 order by created_on', [name])
  return rows.map(({ state }) => state)
}

/** Rolls the work back. */
async function undone(work: (trx: Trx) => Promise<unknown>): Promise<void> {
  const transaction = database.db.transaction().execute(async (trx) => {
    await work(trx)
    throw new Error('changed its mind')
  })
  await expect(transaction).rejects.toThrow('changed its mind')
}

describe('jobs', () => {
  it('are enqueued with the transaction that they belong to, or not at all', async () => {
    const [name, done] = [newName(), counter<string>()]
    const jobs = await startJobs(name, async (_, { key }) => done.add(key))
    await undone((trx) => jobs.send(name, { key: 'undone' }, { singletonKey: 'undone', trx }))
    await database.db.transaction().execute((trx) => jobs.send(name, { key: 'kept' }, { singletonKey: 'kept', trx }))
    jobs.wake(name)
    await done.reached(1)
    expect(done.seen).toEqual(['kept'])
    expect(await statesOf(name)).toHaveLength(1)
  })

  it('are enqueued many at once with their transaction, those left out whose key waits or runs', async () => {
    const [name, done] = [newName(), counter<string>()]
    const enqueuing = await startJobs(name, async () => undefined, { works: false })
    await send(enqueuing, name, 'b')
    const all = ['a', 'b', 'c'].map((key) => ({ data: { key }, singletonKey: key }))
    await undone((trx) => enqueuing.sendAll(name, all, trx))
    expect(await statesOf(name)).toHaveLength(1)
    await database.db.transaction().execute((trx) => enqueuing.sendAll(name, all, trx))
    await startJobs(name, async (_, { key }) => done.add(key))
    await done.reached(3)
    expect(done.seen.toSorted()).toEqual(['a', 'b', 'c'])
    expect(await statesOf(name)).toHaveLength(3)
  })

  it('are enqueued once by processes that send the same at once, in whatever order each has them', async () => {
    const name = newName()
    const enqueuing = await startJobs(name, async () => undefined, { works: false })
    const JOBS = 300
    const ROUNDS = 10
    for (let round = 0; round < ROUNDS; round += 1) {
      const all = Array.from({ length: JOBS }, (_, n) => ({ data: { key: 'x' }, singletonKey: `${round} ${n}` }))
      await Promise.all([all, all.toReversed()].map((jobs) => enqueuing.sendAll(name, jobs)))
    }
    expect(await statesOf(name)).toHaveLength(ROUNDS * JOBS)
  })

  it('are shared by the processes that work, each done by one', async () => {
    const [name, done] = [newName(), counter<{ key: string; by: string }>()]
    const both = Promise.withResolvers<void>()
    const as =
      (by: string) =>
      async (_: AbortSignal, { key }: Named) => {
        done.add({ key, by })
        if (new Set(done.seen.map((run) => run.by)).size === 2) both.resolve()
        await both.promise
      }
    const enqueuing = await startJobs(name, as('nobody'), { works: false })
    await startJobs(name, as('one'))
    await startJobs(name, as('two'))
    const keys = Array.from({ length: 20 }, (_, index) => `job ${index}`)
    for (const key of keys) await send(enqueuing, name, key)
    await done.reached(20)
    expect(done.seen.map(({ key }) => key).toSorted()).toEqual(keys.toSorted())
    expect(new Set(done.seen.map(({ by }) => by))).toEqual(new Set(['one', 'two']))
  })

  it('of one key wait or run once', async () => {
    const [name, gate, begun] = [newName(), Promise.withResolvers<void>(), counter<string>()]
    const jobs = await startJobs(name, async (_, { key }) => {
      begun.add(key)
      await gate.promise
    })
    expect(await send(jobs, name, 'a')).toBe(true)
    expect(await send(jobs, name, 'a')).toBe(false)
    await begun.reached(1)
    expect(await send(jobs, name, 'a')).toBe(false)
    expect(await send(jobs, name, 'b')).toBe(true)
    gate.resolve()
    await begun.reached(2)
    await expect.poll(() => statesOf(name)).toEqual(['completed', 'completed'])
    expect(await send(jobs, name, 'a')).toBe(true)
    await begun.reached(3)
  })

  it('of one key may wait while one runs, if so defined, and never run at once', async () => {
    const [name, begun] = [newName(), counter<string>()]
    let running = 0
    const gate = Promise.withResolvers<void>()
    const jobs = await startJobs(
      name,
      async (_, { key }) => {
        running += 1
        expect(running).toBe(1)
        begun.add(key)
        await gate.promise
        running -= 1
      },
      { oncePerKey: 'until begun', concurrency: 3 },
    )
    await send(jobs, name, 'a')
    await begun.reached(1)
    expect(await send(jobs, name, 'a')).toBe(true)
    expect(await send(jobs, name, 'a')).toBe(false)
    gate.resolve()
    await begun.reached(2)
    await expect.poll(() => statesOf(name)).toEqual(['completed', 'completed'])
  })

  it('begin soon in a process that starts while their key is still noted as one that runs', async () => {
    const [name, done] = [newName(), counter<string>()]
    const handler: JobHandler<Named> = async (_, { key }) => done.add(key)
    const first = await startJobs(name, handler, { oncePerKey: 'until begun' })
    await first.stop()
    // The state for a while after such a job has ended.
    await database.pool.query(`update jobs.queue set singletons_active = '{a}' where name = $1`, [name])
    const second = await startJobs(name, handler, { oncePerKey: 'until begun' })
    await send(second, name, 'a')
    await expect.poll(() => done.seen).toEqual(['a'])
  })

  it('of a higher priority begin before those that have waited for longer', async () => {
    const [name, done] = [newName(), counter<string>()]
    const enqueuing = await startJobs(name, async () => undefined, { works: false })
    await send(enqueuing, name, 'can wait')
    await enqueuing.send(name, { key: 'cannot' }, { singletonKey: 'cannot', priority: 1 })
    await startJobs(name, async (_, { key }) => done.add(key))
    await done.reached(2)
    expect(done.seen).toEqual(['cannot', 'can wait'])
  })

  it('run again when they fail, until they have been tried often enough', async () => {
    const [name, attempts] = [newName(), counter<number>()]
    const failing: JobHandler<Named> = async (_, _data, { attempt }) => {
      attempts.add(attempt)
      throw new Error('not today')
    }
    const jobs = await startJobs(name, failing, { retryLimit: 1 })
    await send(jobs, name, 'a')
    await attempts.reached(2)
    await expect.poll(() => statesOf(name)).toEqual(['failed'])
    expect(attempts.seen).toEqual([1, 2])
  })

  it('of a process that was killed run again in another', async () => {
    const [name, done] = [newName(), counter<number>()]
    const holder = spawn(process.execPath, [holdJob, database.url, name], { stdio: ['ignore', 'pipe', 'inherit'] })
    const enqueuing = await startJobs(name, async () => undefined, { works: false })
    const said = once(createInterface(holder.stdout), 'line')
    await send(enqueuing, name, 'a')
    expect(await said).toEqual(['took a'])
    holder.kill('SIGKILL')
    await once(holder, 'close')
    // Simulates half a minute without a heartbeat.
    await database.pool.query("update jobs.job set heartbeat_on = heartbeat_on - interval '1 minute' where name = $1", [
      name,
    ])
    await startJobs(name, async (_, _data, { attempt }) => done.add(attempt))
    await done.reached(1)
    expect(done.seen).toEqual([2])
  })

  it('continue when all connections to the database were lost', async () => {
    const [name, begun, gate] = [newName(), counter<string>(), Promise.withResolvers<void>()]
    const jobs = await startJobs(name, async (_, { key }) => {
      begun.add(key)
      await gate.promise
    })
    await send(jobs, name, 'before')
    await begun.reached(1)
    await database.pool
      .query('select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()')
      .catch(() => undefined)
    gate.resolve()
    await expect.poll(() => send(jobs, name, 'after').catch(() => false)).toBe(true)
    await begun.reached(2)
    expect(begun.seen).toEqual(['before', 'after'])
  })

  it('that run when the process stops are informed, awaited, and run elsewhere if they do not end well', async () => {
    const [name, begun] = [newName(), counter<number>()]
    const jobs = await startJobs(name, async (signal, _data, { attempt }) => {
      begun.add(attempt)
      await once(signal, 'abort')
      throw signal.reason
    })
    await send(jobs, name, 'a')
    await begun.reached(1)
    await jobs.stop()
    expect(await statesOf(name)).toEqual(['retry'])
    const ended = counter<number>()
    await startJobs(name, async (_, _data, { attempt }) => ended.add(attempt))
    await ended.reached(1)
    expect(ended.seen).toEqual([2])
  })

  it('that are repeated by a clock have not failed when the process stops', async () => {
    const [name, begun] = [newName(), counter<string>()]
    const handler: JobHandler<Named> = async (signal, { key }) => {
      begun.add(key)
      await once(signal, 'abort')
      throw signal.reason
    }
    const jobs = await startJobs(name, handler, { retryLimit: 0 })
    await send(jobs, name, 'a')
    await begun.reached(1)
    await jobs.stop()
    expect(await statesOf(name)).toEqual(['completed'])
  })

  it('that reach their time limit are signalled, and run again only after their handler has ended', async () => {
    const [name, clock] = [newName(), newName()]
    const [begun, struck] = [counter<number>(), Promise.withResolvers<void>()]
    let running = 0
    let most = 0
    const handler: JobHandler<Named> = async (signal, _data, { attempt }) => {
      running += 1
      most = Math.max(most, running)
      begun.add(attempt)
      if (attempt === 1) {
        await once(signal, 'abort')
        // Enough time for a retry to begin, by the queue's own clock.
        await clocks.send(clock, {}, { singletonKey: 'strikes', startAfter: 4 })
        await struck.promise
      }
      running -= 1
      if (attempt === 1) throw signal.reason
    }
    const clocks = await startJobs(clock, async () => struck.resolve())
    const jobs = await startJobs(name, handler, { limitSeconds: 1, concurrency: 2 })
    await send(jobs, name, 'a')
    await begun.reached(2)
    expect(most).toBe(1)
    await expect.poll(() => statesOf(name)).toEqual(['completed'])
  })

  it.each([
    { from: 'until begun', to: 'until done', again: false, runs: ['runs', 'waits'] },
    { from: 'until done', to: 'until begun', again: true, runs: ['runs', 'waits', 'runs'] },
  ] as const)('of a queue whose keys were kept apart $from are kept apart $to by the next release', async (change) => {
    const [name, done] = [newName(), counter<string>()]
    const begun = Promise.withResolvers<void>()
    const before = await startJobs(
      name,
      async (signal) => {
        begun.resolve()
        await once(signal, 'abort')
        throw signal.reason
      },
      { oncePerKey: change.from },
    )
    await send(before, name, 'runs')
    await begun.promise
    // Refused while a running job keeps its key.
    await send(before, name, 'runs')
    await send(before, name, 'waits')
    await before.stop()
    const enqueuing = await startJobs(name, async () => undefined, { oncePerKey: change.to, works: false })
    await database.pool.query("update jobs.job set state = 'active' where name = $1 and state = 'retry'", [name])
    expect(await send(enqueuing, name, 'runs')).toBe(change.again)
    await database.pool.query("update jobs.job set state = 'retry' where name = $1 and state = 'active'", [name])
    await startJobs(name, async (_, { key }) => done.add(key), { oncePerKey: change.to })
    await done.reached(change.runs.length)
    await expect.poll(() => statesOf(name)).toEqual(change.runs.map(() => 'completed'))
    expect(done.seen.toSorted()).toEqual([...change.runs].toSorted())
  })

  it('that repeat are enqueued once for all processes, and again after their interval, whatever the clock does', async () => {
    const [name, done] = [newName(), counter<string>()]
    const [one, two] = await Promise.all([
      startJobs(name, async () => done.add('one'), { every: 3_600 }),
      startJobs(name, async () => done.add('two'), { every: 3_600 }),
    ])
    await done.reached(1)
    await Promise.all([one.stop(), two.stop()])
    expect(await statesOf(name)).toHaveLength(1)
    for (const moved of ["created_on - interval '61 minutes'", "created_on + interval '3 days'"]) {
      const before = done.seen.length
      await database.pool.query(`update jobs.job set created_on = ${moved} where name = $1`, [name])
      const jobs = await startJobs(name, async () => done.add('later'), { every: 3_600 })
      await done.reached(before + 1)
      await jobs.stop()
    }
    expect(await statesOf(name)).toHaveLength(3)
  })
})
