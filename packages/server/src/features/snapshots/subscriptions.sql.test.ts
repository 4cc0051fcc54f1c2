import { Kysely, PostgresDialect } from 'kysely'
import { expect, test } from 'vitest'
import { suiteDatabase } from '../../../test/database.ts'
import { accountWith } from '../../../test/ledger/accounts.ts'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import type { DayStates } from './day-states.ts'
import { findDue } from './due-snapshots-store.ts'
import { subscribe } from './subscriptions.ts'

const database = await suiteDatabase('subscriptions')

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}` as const

/** Subscribes in a separate transaction. Returns the answer, the queue's requests and the number of statements. */
async function subscribed(
  accountId: string,
  wanted: Parameters<typeof subscribe>[3],
  passing: readonly Address[] = [],
) {
  const statements: string[] = []
  const dialect = new PostgresDialect({ pool: database.pool })
  const db = new Kysely<Tables>({ dialect, log: ({ query }) => void statements.push(query.sql) })
  const asked: unknown[] = []
  const context = {
    db,
    daysOf: (wallet: Address) => ({ kept: !passing.includes(wallet) }) as DayStates,
    jobs: {
      sendAll: async (_: string, jobs: readonly { data: object }[]) => void asked.push(...jobs.map(({ data }) => data)),
      wake: () => undefined,
    },
    log: { warn: () => undefined },
  }
  const answer = await db.transaction().execute((trx) => subscribe(context, trx, accountId, wanted))
  return { answer, asked, statements: statements.length }
}

test('a hundred addresses take as many statements as one, while the account is locked', async () => {
  const account = await accountWith(database.db, 1)
  const one = await subscribed(account, [{ address: address(1), description: 'first' }])
  const wanted = Array.from({ length: 100 }, (_, i) => ({ address: address(i + 1), description: `number ${i}` }))
  const hundred = await subscribed(account, wanted)
  expect(hundred.statements).toBe(one.statements)
  // The first has run already: the queue gets no request for it, and its description is the new one.
  expect(hundred.asked).toMatchObject(wanted.slice(1).map((entry) => ({ address: entry.address, accountId: account })))
  expect(hundred.answer.map(({ description, credits }) => [description, credits])).toEqual([
    ['number 0', 0],
    ...wanted.slice(1).map(({ description }) => [description, 1200]),
  ])
})

test('a description is kept, changed or removed, address by address', async () => {
  const account = await accountWith(database.db, 1)
  const first = [1, 2, 3].map((n) => ({ address: address(n), description: `old ${n}` }))
  await subscribed(account, first)
  const again = [
    { address: address(1) },
    { address: address(2), description: null },
    { address: address(3), description: 'new' },
  ]
  const { answer, asked } = await subscribed(account, again)
  expect(answer.map(({ description }) => description)).toEqual(['old 1', null, 'new'])
  expect(asked).toEqual([])
})

test('snapshots that can be taken in their hour alone are due before the others', async () => {
  const account = await accountWith(database.db, 1)
  const wallets = Array.from({ length: 20 }, (_, i) => address(1_000 + i))
  const passing = wallets.filter((_, i) => i % 2 === 1)
  const wanted = wallets.map((wallet) => ({ address: wallet }))
  await subscribed(account, wanted, passing)
  const due = await findDue(database.db)
  const firsts = due.slice(0, passing.length).map((snapshot) => snapshot.address)
  expect(firsts.sort()).toEqual(passing)
  expect(due.map((snapshot) => snapshot.address)).toEqual(expect.arrayContaining(wallets))
})
