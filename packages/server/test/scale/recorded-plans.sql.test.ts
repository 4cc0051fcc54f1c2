import { expect, test } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { testDatabase } from '../database.ts'
import { recordScans } from './recorded-plans.ts'

test('rows that a statement reads of a table are counted, filtered ones and those in functions too', async () => {
  const database = await testDatabase('recorded_plans')
  await database.pool.query(`
    create table number as select n, n % 2 = 0 as is_even from generate_series(1, 20000) n;
    create function evens() returns bigint language plpgsql as $$
      begin return (select count(*) from number where is_even); end $$;
    create index on number (n);
    analyze number`)
  const { scans, stop } = await recordScans(database.url)
  const { pool, close } = openDatabase({ connection: database.url, poolMax: 1, log: () => undefined })
  await pool.query('select n from number where n between 5 and 7')
  await pool.query('select evens()')
  await close()
  stop()
  const seen = scans.filter(({ table }) => table === 'number').map(({ rows, statement }) => [rows, statement])
  expect(seen).toEqual([
    [3, 'select n from number where n between 5 and 7'],
    [20_000, '(select count(*) from number where is_even)'],
  ])
  await database.drop()
})
