import { afterAll, expect } from 'vitest'
import type { Db } from '../../src/db/tables.ts'
import { createAccount } from '../../src/features/accounts/accounts.ts'
import { createCredits, type Hold } from '../../src/features/credits/credits.ts'
import { findViolations, ledgerLines } from '../../src/features/credits/ledger.ts'
import { testDatabase } from '../database.ts'

export async function accountWith(db: Db, credits: number): Promise<string> {
  const { id } = await createAccount(db, { name: 'test', plan: 'PRO', entitlements: [], credits })
  return id
}

/** A ledger in a database of its own, whose invariants hold at the end of the suite. */
export async function ledgerBench(name: string) {
  const database = await testDatabase(name)
  const open = () => createCredits({ pool: database.pool, log: () => undefined })
  const credits = open()
  let requests = 0
  const nextId = () => `request-${++requests}`
  afterAll(async () => {
    await credits.drain()
    expect(await findViolations(database.db)).toEqual([])
    await database.drop()
  })
  return {
    ...{ database, credits, open, nextId },
    account: (amount: number) => accountWith(database.db, amount),
    async hold(account: string, amount: number, key = nextId()): Promise<Hold> {
      const hold = await credits.hold(account, amount, { source: 'request', key })
      if (!hold) throw new Error('held before')
      return hold
    },
    async lines(account: string) {
      const lines = []
      for await (const line of ledgerLines(database.db, account)) lines.push(line)
      return lines
    },
    async balance(account: string) {
      const query = 'select available::int, pending::int from credit_account where account_id = $1'
      return (await database.pool.query(query, [account])).rows[0]
    },
  }
}
