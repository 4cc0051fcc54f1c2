import { afterAll, expect } from 'vitest'
import type { Db } from '../../src/db/tables.ts'
import { createAccount, updateAccount } from '../../src/features/accounts/accounts.ts'
import { createCredits, type Hold } from '../../src/features/credits/credits.ts'
import { findViolations, ledgerLines } from '../../src/features/credits/ledger.ts'
import { createKey } from '../../src/features/keys/keys.ts'
import { openPeppers } from '../../src/features/keys/peppers.ts'
import { testDatabase } from '../database.ts'

/** Far above what tests use: the limits have their own tests. */
const NO_RATE_LIMIT = 10_000_000

export async function accountWith(db: Db, credits: number): Promise<string> {
  const { id } = await createAccount(db, { name: 'test', plan: 'PRO', entitlements: [], credits })
  return id
}

type KeyedOptions = { credits: number; plan?: 'FREE' | 'LITE' | 'PRO'; isLimited?: boolean }

/** With portfolio access, and a key. Plan FREE by default. */
export async function keyedAccount(db: Db, { credits, plan = 'FREE', isLimited = false }: KeyedOptions) {
  const { id } = await createAccount(db, { name: 'test', plan, entitlements: ['portfolio'], credits })
  const rateLimits = { default: NO_RATE_LIMIT, portfolio: NO_RATE_LIMIT }
  if (!isLimited) await updateAccount(db, id, { rateLimits })
  const { key, id: keyId } = await newKey(db, id)
  return { id, key, keyId, credits }
}

export async function newKey(db: Db, accountId: string) {
  return createKey(db, await openPeppers(db, []), { accountId, name: 'test' })
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
