import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { accountWith } from '../../../test/ledger/accounts.ts'
import { createCredits, type Hold } from './credits.ts'
import { findViolations } from './ledger.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
beforeAll(async () => {
  database = await testDatabase('locked_account')
})
afterAll(async () => {
  expect(await findViolations(database.db)).toEqual([])
  await database.drop()
})

let requests = 0
const nextId = () => `request-${++requests}`

/** Runs `work` while another transaction holds the account's lock. */
async function whileLocked<T>(account: string, work: () => Promise<T>): Promise<T> {
  const other: pg.PoolClient = await database.pool.connect()
  try {
    await other.query('begin')
    await other.query('select credit_lock(array[$1::bigint])', [account])
    return await work()
  } finally {
    await other.query('rollback')
    other.release()
  }
}

const settled = (calls: Promise<unknown>[]) => Promise.allSettled(calls)

test('a locked account delays and fails the charges, holds and ends of no other account', async () => {
  const credits = createCredits({ pool: database.pool, log: () => undefined })
  const [locked, free, poor] = [
    await accountWith(database.db, 10),
    await accountWith(database.db, 10),
    await accountWith(database.db, 1),
  ]
  const hold = async (account: string): Promise<Hold> => {
    const held = await credits.hold(account, 1, { source: 'request', key: nextId() })
    if (!held) throw new Error('held before')
    return held
  }
  const charge = (account: string) => credits.charge(account, 1, nextId())
  const [posted, given] = [await Promise.all([hold(locked), hold(free)]), await Promise.all([hold(locked), hold(free)])]

  const late = await whileLocked(locked, async () => {
    const waiting = [charge(locked), hold(locked), credits.post(posted[0]), credits.release(given[0])]
    // In one batch with the waiting commands, then in the next ones.
    await Promise.all([charge(free), charge(poor), hold(free), credits.post(posted[1]), credits.release(given[1])])
    await Promise.all([charge(free), hold(free)])
    await expect(charge(poor)).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' })
    const { rows } = await database.pool.query(
      'select available::int, pending::int from credit_account where account_id = $1',
      [free],
    )
    expect(rows).toEqual([{ available: 5, pending: 2 }])
    // It ends with the lock, or at the lock timeout.
    return { waiting: settled(waiting) }
  })
  await late.waiting
  await Promise.all([charge(locked), charge(free)])
  await credits.drain()
})

test('a sweep leaves the holds of a locked account to the next one', async () => {
  const credits = createCredits({ pool: database.pool, log: () => undefined })
  const [locked, free] = [await accountWith(database.db, 5), await accountWith(database.db, 5)]
  for (const account of [locked, free]) await credits.hold(account, 2, { source: 'request', key: nextId() })
  await database.pool.query(`update credit_charge set expires_at = now() - interval '1 s' where account_id = any($1)`, [
    [locked, free],
  ])
  expect(await whileLocked(locked, () => credits.sweep())).toBe(1)
  expect(await credits.available(free)).toBe(5)
  expect(await credits.sweep()).toBe(1)
  expect(await credits.available(locked)).toBe(5)
})
