import type pg from 'pg'
import { expect, test } from 'vitest'
import { ledgerBench } from '../../../test/ledger/accounts.ts'

const { database, credits, nextId, account: accountWith, hold: held, balance } = await ledgerBench('locked_account')

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

test('a locked account delays and fails the charges, holds and ends of no other account', async () => {
  const [locked, free, poor] = [await accountWith(10), await accountWith(10), await accountWith(1)]
  const hold = (account: string) => held(account, 1)
  const charge = (account: string) => credits.charge(account, 1, nextId())
  const [posted, given] = [await Promise.all([hold(locked), hold(free)]), await Promise.all([hold(locked), hold(free)])]

  const late = await whileLocked(locked, async () => {
    const waiting = [charge(locked), hold(locked), credits.post(posted[0]), credits.release(given[0])]
    // In one batch with the waiting commands, then in the next ones.
    await Promise.all([charge(free), charge(poor), hold(free), credits.post(posted[1]), credits.release(given[1])])
    await Promise.all([charge(free), hold(free)])
    await expect(charge(poor)).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' })
    expect(await balance(free)).toEqual({ available: 5, pending: 2 })
    // It ends with the lock, or at the lock timeout.
    return { waiting: Promise.allSettled(waiting) }
  })
  await late.waiting
  await Promise.all([charge(locked), charge(free)])
})

test('a sweep leaves the holds of a locked account to the next one', async () => {
  const [locked, free] = [await accountWith(5), await accountWith(5)]
  for (const account of [locked, free]) await held(account, 2)
  const expire = `update credit_charge set expires_at = now() - interval '1 s' where account_id = any($1)`
  await database.pool.query(expire, [[locked, free]])
  expect(await whileLocked(locked, () => credits.sweep())).toBe(1)
  expect(await credits.available(free)).toBe(5)
  expect(await credits.sweep()).toBe(1)
  expect(await credits.available(locked)).toBe(5)
})
