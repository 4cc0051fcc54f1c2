import { Failure } from '@coffer/contract'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { ledgerBench } from '../../../test/ledger/accounts.ts'
import { openDatabase } from '../../db/database.ts'
import type { Db, Trx } from '../../db/tables.ts'
import { createCredits } from './credits.ts'
import { createPaidChanges } from './paid-changes.ts'

const ledger = await ledgerBench('paid_changes')
const { database, account: accountWith } = ledger
const log = () => undefined
const changesOn = ({ db, pool }: Pick<typeof database, 'db' | 'pool'>) =>
  createPaidChanges({ db, credits: createCredits({ pool, log }) })

let calls = 0
function call(accountId: string, cost: number) {
  calls += 1
  return { caller: { accountId }, cost, requestId: `request-${calls}` }
}

const save = (trx: Trx, accountId: string, address: string) =>
  trx
    .insertInto('address_book_entry')
    .values({ account_id: BigInt(accountId), address, label: '' })
    .execute()

async function stateOf(db: Db, accountId: string) {
  const lines = (await ledger.lines(accountId)).map(({ kind, amount }) => `${kind} ${amount}`)
  const entries = await db
    .selectFrom('address_book_entry')
    .select('address')
    .where('account_id', '=', BigInt(accountId))
    .execute()
  return { lines: lines.slice(1), entries: entries.map(({ address }) => address) }
}

test('a change and its charge are there together', async () => {
  const account = await accountWith(5)
  const change = changesOn(database)
  expect(await change(call(account, 2), (trx, id) => save(trx, id, 'a').then(() => 'saved'))).toBe('saved')
  expect(await stateOf(database.db, account)).toEqual({ lines: ['charge 2'], entries: ['a'] })
})

test('a refusal, a bug or a statement that PostgreSQL refuses undoes all, and its charge is given back in the ledger', async () => {
  const account = await accountWith(5)
  const change = changesOn(database)
  for (const thrown of [new Failure('BUNDLE_EMPTY', 'no'), new TypeError('x is undefined')]) {
    const failing = change(call(account, 2), async (trx, id) => {
      await save(trx, id, 'a')
      throw thrown
    })
    await expect(failing).rejects.toBe(thrown)
  }
  const twice = change(call(account, 2), async (trx, id) => {
    await save(trx, id, 'a')
    await save(trx, id, 'a')
  })
  await expect(twice).rejects.toMatchObject({ code: '23505' })
  const lines = Array(3).fill(['charge 2', 'refund 2']).flat()
  expect(await stateOf(database.db, account)).toEqual({ lines, entries: [] })
})

test('a bug in what a call costs is no overload: it is thrown on, and nothing is charged', async () => {
  const account = await accountWith(5)
  const bug = new TypeError('x is undefined')
  const priced = { ...call(account, 2), cost: () => Promise.reject(bug) }
  await expect(changesOn(database)(priced, () => expect.unreachable())).rejects.toBe(bug)
  expect(await stateOf(database.db, account)).toEqual({ lines: [], entries: [] })
})

test('without the credits nothing is looked at and nothing is written', async () => {
  const account = await accountWith(1)
  const refused = changesOn(database)(call(account, 2), () => expect.unreachable())
  await expect(refused).rejects.toMatchObject({
    code: 'INSUFFICIENT_CREDITS',
    extras: { creditsRequired: 2, creditsAvailable: 1 },
  })
  expect(await stateOf(database.db, account)).toEqual({ lines: [], entries: [] })
})

test('a second change of the account waits for the first', async () => {
  const account = await accountWith(5)
  const change = changesOn(database)
  const entered = Promise.withResolvers<void>()
  const free = Promise.withResolvers<void>()
  const order: string[] = []
  const first = change(call(account, 1), async () => {
    entered.resolve()
    await free.promise
    order.push('first')
  })
  await entered.promise
  const second = change(call(account, 1), async () => void order.push('second'))
  const waiting = () =>
    database.pool.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
  await expect.poll(async () => (await waiting()).rowCount).toBe(1)
  free.resolve()
  await Promise.all([first, second])
  expect(order).toEqual(['first', 'second'])
})

test('a database that is away or does not answer in time is an overload, and nothing is there', async () => {
  const account = await accountWith(5)
  const gone = openDatabase({ connection: 'postgres://127.0.0.1:1/none', poolMax: 1, log })
  const overloaded = { code: 'OVERLOADED', status: 503 }
  await expect(changesOn(gone)(call(account, 1), () => expect.unreachable())).rejects.toMatchObject(overloaded)
  await gone.close()
  const change = changesOn(database)
  const slow = change(call(account, 1), (trx) => sql`set local statement_timeout = 1; select pg_sleep(1)`.execute(trx))
  await expect(slow).rejects.toMatchObject(overloaded)
  const cut = change(call(account, 1), (trx) => sql`select pg_terminate_backend(pg_backend_pid())`.execute(trx))
  await expect(cut).rejects.toMatchObject(overloaded)
  expect(await stateOf(database.db, account)).toEqual({ lines: ['charge 1', 'refund 1'], entries: [] })
})
