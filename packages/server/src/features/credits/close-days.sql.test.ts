import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { accountWith } from '../../../test/ledger/accounts.ts'
import { createCloseDays } from './close-days.ts'
import { type Credits, createCredits } from './credits.ts'
import { findViolations, ledgerLines } from './ledger.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
let credits: Credits
beforeAll(async () => {
  database = await testDatabase('close_days')
  credits = createCredits({ pool: database.pool, log: () => undefined })
})
afterAll(async () => {
  await credits.drain()
  await database.drop()
})

const log = { info: () => undefined }
const close = () => createCloseDays({ db: database.db, days: 90, log })(new AbortController().signal)

/** Moves all younger lines and holds to one day, `days` ago. */
async function becomeOld(days: number): Promise<void> {
  await database.pool.query(`
    alter table credit_line disable trigger credit_line_append_only;
    update credit_line set at = at - interval '${days} days' where at > now() - interval '1 day';
    alter table credit_line enable trigger credit_line_append_only;
    update credit_charge set closed_at = closed_at - interval '${days} days' where closed_at > now() - interval '1 day'`)
}

async function lines(accountId: string): Promise<string[]> {
  const texts: string[] = []
  for await (const { kind, amount, chargeId } of ledgerLines(database.db, accountId)) {
    texts.push(`${kind} ${amount}${chargeId === null ? '' : ' of a hold'}`)
  }
  return texts
}

async function spend(account: string, name: string): Promise<void> {
  const hold = async (amount: number, key: string, source: 'request' | 'snapshot_term' = 'request') => {
    const held = await credits.hold(account, amount, { source, key: `${name} ${key}` })
    if (!held) throw new Error('held before')
    return held
  }
  await credits.charge(account, 3, name)
  const back = await credits.charge(account, 5, name)
  await credits.giveBack(back)
  await credits.post(await hold(7, 'posted'))
  await credits.release(await hold(11, 'released'))
  await credits.giveBack(await credits.post(await hold(13, 'given back')))
}

test('closed days have a line a kind, balances are their sums, and what is younger stays as it is', async () => {
  const account = await accountWith(database.db, 1_000)
  await spend(account, 'oldest')
  await becomeOld(5)
  await spend(account, 'old')
  await becomeOld(90)
  // 95 and 90 days ago: the second day is the last one kept.
  await database.pool.query(`
    alter table credit_line disable trigger credit_line_append_only;
    update credit_line set at = at - interval '90 days' where at > now() - interval '10 days' and at < now() - interval '1 day';
    alter table credit_line enable trigger credit_line_append_only;
    update credit_charge set closed_at = closed_at - interval '90 days'
      where closed_at > now() - interval '10 days' and closed_at < now() - interval '1 day'`)
  const young = await credits.hold(account, 1, { source: 'request', key: 'young' })
  const all = await lines(account)
  expect(all).toHaveLength(1 + 2 * 10 + 1)
  expect(await close()).toBe(10)
  expect(await lines(account)).toEqual([
    'grant 1000',
    'charge 8',
    'refund 18',
    'hold 31',
    'post 20',
    'void 11',
    ...all.slice(11),
  ])
  expect(await findViolations(database.db)).toEqual([])
  // 3 and 7 were spent twice, and one is held.
  expect(await credits.available(account)).toBe(1_000 - 20 - 1)
  if (young) await credits.release(young)

  // A day later the other day is closed, and none is closed twice.
  await becomeOld(1)
  await database.pool.query(`
    alter table credit_line disable trigger credit_line_append_only;
    update credit_line set at = at - interval '1 day' where at < now() - interval '80 days';
    alter table credit_line enable trigger credit_line_append_only;
    update credit_charge set closed_at = closed_at - interval '1 day' where closed_at < now() - interval '80 days'`)
  expect(await close()).toBe(10)
  expect(await close()).toBe(0)
  expect(await findViolations(database.db)).toEqual([])
  expect(await credits.available(account)).toBe(980)
})

test('a hold that is open, one whose key is paid for once, and a charge that was given back lately stay', async () => {
  const account = await accountWith(database.db, 100)
  const term = await credits.hold(account, 2, { source: 'snapshot_term', key: 'term' })
  if (!term) throw new Error('held before')
  await credits.post(term)
  const late = await credits.charge(account, 4, 'late')
  await becomeOld(200)
  await database.pool.query(`update credit_charge set expires_at = now() + interval '1 day' where state = 'pending'`)
  await credits.giveBack(late)
  const before = await lines(account)
  expect(await close()).toBe(0)
  expect(await lines(account)).toEqual(before)
  expect(await credits.hold(account, 2, { source: 'snapshot_term', key: 'term' })).toBeUndefined()
})

test('a day that is closed in parts has one line a kind, and a wrong closing line is found', async () => {
  const account = await accountWith(database.db, 10_000)
  await database.pool.query(
    `select credit_charge_many(array_fill($1::bigint, array[2500]), array_fill(2::bigint, array[2500]),
      array(select 'many ' || n from generate_series(1, 2500) as n))`,
    [account],
  )
  await becomeOld(200)
  // With the charge of the previous test, and its refund.
  expect(await close()).toBe(2_502)
  const { rows } = await database.pool.query(
    `select count(*)::int as lines, sum(amount)::int as sum from credit_line where account_id = $1 and kind = 'charge'`,
    [account],
  )
  // A date change at midnight may make two of them.
  expect(rows[0].lines).toBeLessThanOrEqual(2)
  expect(rows[0].sum).toBe(5_000)
  expect(await findViolations(database.db)).toEqual([])
  await database.pool.query(
    `insert into credit_line (account_id, amount, kind, source_key) values ($1, 6000, 'refund', 'closing:wrong')`,
    [account],
  )
  const found = (await findViolations(database.db)).map(({ invariant }) => invariant)
  expect(found).toContain('what closed days gave back was charged')
  expect(found).toContain('available is the sum of its lines')
})
