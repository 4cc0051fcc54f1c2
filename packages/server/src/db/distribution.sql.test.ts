import { expect, test } from 'vitest'
import { suiteDatabase } from '../../test/database.ts'
import { DISTRIBUTED } from './distribution.ts'
import { migrate } from './migrate.ts'

const { pool, url } = await suiteDatabase('distribution')
const distributed = Object.entries(DISTRIBUTED)
const columnOf = new Map<string, string>(distributed)

/** A queue: claims find due wallets of all. */
const OF_COORDINATOR = ['history_follow']

test('every table whose key has a wallet or a scope is distributed by it, or is a queue', async () => {
  const { rows } = await pool.query<{ name: string }>(`
    select distinct relname as name from pg_constraint join pg_class on pg_class.oid = conrelid
      join pg_attribute on attrelid = conrelid and attnum = any (conkey)
    where contype = 'p' and relnamespace = 'public'::regnamespace and attname in ('wallet', 'scope')`)
  const keyed = rows.map(({ name }) => name)
  const named = [...OF_COORDINATOR, ...distributed.filter(([, column]) => column !== 'address').map(([table]) => table)]
  expect(keyed.toSorted()).toEqual(named.toSorted())
})

test('the column is in every unique index of its table', async () => {
  const { rows } = await pool.query<{ name: string; index: string; columns: string[] }>(`
    select table_.relname as name, indexrelid::regclass::text as index, array(
      select attname::text from pg_attribute where attrelid = indrelid and attnum = any (indkey)) as columns
    from pg_index join pg_class as table_ on table_.oid = indrelid
    where indisunique and relnamespace = 'public'::regnamespace`)
  const lacking = rows.filter(({ name, columns }) => columnOf.has(name) && !columns.includes(columnOf.get(name) ?? ''))
  expect(lacking).toEqual([])
  const unique = new Set(rows.map(({ name }) => name))
  expect([...columnOf.keys()].filter((table) => !unique.has(table))).toEqual([])
})

test('foreign keys stay within the tables of one key, and no distributed table has a trigger of its own', async () => {
  const { rows } = await pool.query<{ from: string; to: string }>(`
    select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint where contype = 'f'`)
  const crossing = rows.filter(({ from, to }) => columnOf.get(from) !== columnOf.get(to))
  expect(crossing).toEqual([])
  const { rows: triggers } = await pool.query<{ table: string }>(`
    select tgrelid::regclass::text as table from pg_trigger where not tgisinternal`)
  expect(triggers.filter(({ table }) => columnOf.has(table))).toEqual([])
})

test('a start for Citus without its extension says what to do', async () => {
  await pool.query('drop extension if exists citus cascade')
  await expect(migrate({ connection: url, log: () => undefined, isDistributed: true })).rejects.toThrow(
    'run create extension citus in it, on the coordinator and on each worker',
  )
})
