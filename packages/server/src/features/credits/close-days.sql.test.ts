import { expect, test } from 'vitest'
import { ledgerBench } from '../../../test/ledger/accounts.ts'
import { closeDays } from './close-days.ts'
import { findViolations } from './ledger.ts'

const ledger = await ledgerBench('close_days')
const { database, credits, account: accountWith, hold } = ledger
const log = { info: () => undefined }
const close = () => closeDays({ db: database.db, days: 90, log }, new AbortController().signal)

/** Moves lines and holds of a span, by default the last day, to `days` earlier. */
async function becomeOld(days: number, span = (at: string) => `${at} > now() - interval '1 day'`): Promise<void> {
  await database.pool.query(`
    alter table credit_line disable trigger credit_line_append_only;
    update credit_line set at = at - interval '${days} days' where ${span('at')};
    alter table credit_line enable trigger credit_line_append_only;
    update credit_total set open_since = (
      select min(at) from credit_line where credit_line.account_id = credit_total.account_id
        and kind in ('charge', 'hold') and source_key not like 'closing:%');
    update credit_charge set closed_at = closed_at - interval '${days} days' where ${span('closed_at')}`)
}

const lines = async (account: string) =>
  (await ledger.lines(account)).map(
    ({ kind, amount, chargeId }) => `${kind} ${amount}${chargeId === null ? '' : ' of a hold'}`,
  )

async function spend(account: string, name: string): Promise<void> {
  await credits.charge(account, 3, name)
  const back = await credits.charge(account, 5, name)
  await credits.giveBack(back)
  await credits.post(await hold(account, 7, `${name} posted`))
  await credits.release(await hold(account, 11, `${name} released`))
  await credits.giveBack(await credits.post(await hold(account, 13, `${name} given back`)))
}

test('closed days have a line a kind, balances are their sums, and what is younger stays as it is', async () => {
  const account = await accountWith(1_000)
  await spend(account, 'oldest')
  await becomeOld(5)
  await spend(account, 'old')
  await becomeOld(90)
  // 95 and 90 days ago: the second day is the last one kept.
  await becomeOld(90, (at) => `${at} > now() - interval '10 days' and ${at} < now() - interval '1 day'`)
  const young = await hold(account, 1, 'young')
  const all = await lines(account)
  expect(all).toHaveLength(1 + 2 * 10 + 1)
  expect(await close()).toBe(10)
  const closed = ['grant 1000', 'charge 8', 'refund 18', 'hold 31', 'post 20', 'void 11']
  expect(await lines(account)).toEqual([...closed, ...all.slice(11)])
  expect(await findViolations(database.db)).toEqual([])
  // 3 and 7 were spent twice, and one is held.
  expect(await credits.available(account)).toBe(1_000 - 20 - 1)
  await credits.release(young)

  // A day later the other day is closed, and none is closed twice.
  await becomeOld(1)
  await becomeOld(1, (at) => `${at} < now() - interval '80 days'`)
  expect(await close()).toBe(10)
  expect(await close()).toBe(0)
  expect(await findViolations(database.db)).toEqual([])
  expect(await credits.available(account)).toBe(980)
})

test('a hold that is open, one whose key is paid for once, and a charge that was given back lately stay', async () => {
  const account = await accountWith(100)
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
  const account = await accountWith(10_000)
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
  await database.pool.query(`
    alter table credit_line disable trigger credit_line_append_only;
    delete from credit_line where source_key = 'closing:wrong';
    update credit_total set available = available - 6000, spent = spent + 6000 where account_id = ${account}`)
})
