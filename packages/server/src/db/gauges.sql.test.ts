import { expect, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { accountWith } from '../../test/ledger/accounts.ts'
import { sizeGauges } from './gauges.ts'

test('the ledger is seen to grow by its lines', async () => {
  const { db, pool, drop } = await testDatabase('sizes')
  const ledger = sizeGauges(pool).find(({ name }) => name === 'coffer_ledger_bytes')
  const before = Number(await ledger?.read())
  const account = await accountWith(db, 1_000)
  await pool.query(
    `insert into credit_line (account_id, amount, kind, source_key)
      select $1, 1, 'charge', 'charge:' || n from generate_series(1, 1000) n`,
    [account],
  )
  // A line has at least its numbers and its key.
  expect(Number(await ledger?.read()) - before).toBeGreaterThan(50_000)
  for (const { read } of sizeGauges(pool)) expect(Number(await read())).toBeGreaterThan(0)
  await drop()
})
