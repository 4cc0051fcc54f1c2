import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { startTransactionPooler } from '../../test/transaction-pooler.ts'
import { withTenant } from '../lib/tenant.ts'
import { type Database, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'

const quiet = (): void => undefined

const own = await testDatabase('database')
afterAll(() => own.drop())

async function within<T>(connection: Parameters<typeof openDatabase>[0]['connection'], run: (database: Database) => T) {
  const database = openDatabase({ connection, poolMax: 2, log: quiet })
  try {
    return await run(database)
  } finally {
    await database.close()
  }
}

describe('openDatabase', () => {
  test('reads integers, amounts and days without loss', async () => {
    const { rows } = await own.pool.query(
      `select 9007199254740993::int8 as big, '{-9007199254740993,null}'::int8[] as bigs,
        0.1000000000000000000000000000001::numeric as amount, '{1.50}'::numeric[] as amounts,
        '2024-02-29'::date as day, '2024-02-29T23:59:59.5+02'::timestamptz as moment`,
    )
    expect(rows).toEqual([
      {
        big: 9007199254740993n,
        bigs: [-9007199254740993n, null],
        amount: '0.1000000000000000000000000000001',
        amounts: ['1.50'],
        day: '2024-02-29',
        moment: new Date(Date.UTC(2024, 1, 29, 21, 59, 59, 500)),
      },
    ])
  })

  test('writes bigints', async () => {
    const { rows } = await own.pool.query('select $1::int8 as big, $2::numeric as amount', [-(2n ** 63n), 10n ** 30n])
    expect(rows).toEqual([{ big: -(2n ** 63n), amount: `1${'0'.repeat(30)}` }])
  })

  test('limits statements to 5 s, waiting for locks to 2 s, connecting to 10 s', async () => {
    const { rows } = await own.pool.query(
      `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`,
    )
    expect(rows).toEqual([{ statement: '5s', lock: '2s' }])
    expect(own.pool.options.connectionTimeoutMillis).toBe(10_000)
  })

  test.each(['ISO, DMY', 'ISO, YMD', 'SQL, DMY', 'SQL, MDY', 'German', 'Postgres, DMY', 'Postgres, YMD'])(
    'reads times where the database has %s',
    async (style) => {
      const name = new URL(own.url).pathname.slice(1)
      const odd = {
        datestyle: style,
        timezone: 'Pacific/Kiritimati',
        intervalstyle: 'sql_standard',
        bytea_output: 'escape',
      }
      for (const [key, value] of Object.entries({
        ...odd,
        standard_conforming_strings: 'off',
        extra_float_digits: '-5',
      })) {
        await own.pool.query(`alter database ${name} set ${key} = '${value}'`)
      }
      try {
        await within(own.url, async ({ pool }) => {
          const { rows } = await pool.query(
            `select '2026-02-01T23:30:00Z'::timestamptz as at, '2026-02-01T23:30:00Z'::timestamptz::date as day,
            interval '1 day 2 hours' as span, '\\xff'::bytea as bytes, 0.1::float8 + 0.2 as sum, 'a\\b' as text`,
          )
          expect(rows).toEqual([
            {
              at: new Date('2026-02-01T23:30:00Z'),
              day: '2026-02-01',
              span: expect.objectContaining({ days: 1, hours: 2 }),
              bytes: Buffer.from([255]),
              sum: 0.1 + 0.2,
              text: 'a\\b',
            },
          ])
        })
      } finally {
        await own.pool.query(`alter database ${name} reset all`)
      }
    },
  )

  test('reads times where the address or the role has other formats', async () => {
    const url = new URL(own.url)
    url.searchParams.set('options', '-c datestyle=German -c timezone=America/St_Johns')
    const role = url.username
    const times = `select '2026-02-01T01:30:00Z'::timestamptz as at, '2026-02-01T01:30:00Z'::timestamptz::date as day`
    const expected = [{ at: new Date('2026-02-01T01:30:00Z'), day: '2026-02-01' }]
    await within(url.href, async ({ pool }) => expect((await pool.query(times)).rows).toEqual(expected))
    const name = url.pathname.slice(1)
    await own.pool.query(`alter role ${role} in database ${name} set datestyle = 'SQL, DMY'`)
    try {
      await within(own.url, async ({ pool }) => expect((await pool.query(times)).rows).toEqual(expected))
    } finally {
      await own.pool.query(`alter role ${role} in database ${name} reset all`)
    }
  })

  test('finds its tables, and sees what others commit, where the database has another schema and isolation', async () => {
    const name = new URL(own.url).pathname.slice(1)
    await own.pool.query(`alter database ${name} set search_path = 'elsewhere'`)
    await own.pool.query(`alter database ${name} set default_transaction_isolation = 'serializable'`)
    try {
      await within(own.url, async ({ pool }) => {
        const { rows } = await pool.query(
          `select current_schema() as schema, current_setting('transaction_isolation') as isolation`,
        )
        expect(rows).toEqual([{ schema: 'public', isolation: 'read committed' }])
      })
    } finally {
      await own.pool.query(`alter database ${name} reset all`)
    }
  })

  test('asks for the address at every new connection', async () => {
    const asked: string[] = []
    const connection = (): string => {
      asked.push(own.url)
      return own.url
    }
    await within(connection, async ({ pool }) => {
      await Promise.all([pool.query('select pg_backend_pid()'), pool.query('select pg_backend_pid()')])
    })
    expect(asked).toHaveLength(2)
  })

  test('gives one account four of five connections, and two while another one works', async () => {
    const database = openDatabase({ connection: own.url, poolMax: 5, log: quiet })
    const ends: (() => void)[] = []
    let ended = 0
    const transactions = withTenant('1', () =>
      Array.from({ length: 6 }, () =>
        database.db
          .transaction()
          .execute(() => new Promise<void>((resolve) => void ends.push(resolve)))
          .then(() => (ended += 1)),
      ),
    )
    await expect.poll(() => ends.length).toBe(4)
    const { rows } = await withTenant('2', () => sql`select 1 as one`.execute(database.db))
    expect(rows).toEqual([{ one: 1 }])
    for (const end of ends.slice(0, 2)) end()
    await expect.poll(() => ended).toBe(2)
    await withTenant('2', () => sql`select 1 as one`.execute(database.db))
    expect(ends).toHaveLength(4)
    ends[2]?.()
    await expect.poll(() => ends.length).toBe(5)
    for (const end of ends.slice(3)) end()
    await expect.poll(() => ends.length).toBe(6)
    ends[5]?.()
    await Promise.all(transactions)
    await database.close()
  })

  test('survives the loss of an idle connection', async () => {
    const losses: string[] = []
    const database = openDatabase({ connection: own.url, poolMax: 1, log: (message) => losses.push(message) })
    const { rows } = await database.pool.query('select pg_backend_pid() as pid')
    const lost = new Promise((resolve) => database.pool.once('error', resolve))
    await own.pool.query('select pg_terminate_backend($1)', [rows[0].pid])
    await lost
    expect((await database.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    expect(losses).toHaveLength(1)
    await database.close()
  })

  test('survives the loss of a connection between two statements of a transaction', async () => {
    const database = openDatabase({ connection: own.url, poolMax: 1, log: quiet })
    const transaction = database.db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
      await own.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
      const alive = () => own.pool.query('select 1 from pg_stat_activity where pid = $1', [rows[0]?.pid])
      await expect.poll(async () => (await alive()).rowCount).toBe(0)
      await sql`select 1`.execute(trx)
    })
    await expect(transaction).rejects.toThrow(/connection/i)
    expect((await database.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await database.close()
  })
})

describe('migrate', () => {
  test('runs once where several processes start on an empty database, behind a pooler that shares sessions', async () => {
    const { adminUrl } = inject('postgres')
    const name = `empty_${process.pid}`
    const admin = new pg.Client(adminUrl)
    await admin.connect()
    await admin.query(`create database ${name} template template0`)
    const pooler = await startTransactionPooler(adminUrl.replace('/postgres?', `/${name}?`), 8)
    const starts = [1, 2, 3, 4].map(() => migrate({ connection: pooler.url, log: quiet }))
    const counts = (await Promise.all(starts)).map(({ length }) => length)
    await pooler.stop()
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
    const { migrations } = await import('./migrations/index.ts')
    expect(counts.sort((a, b) => a - b)).toEqual([0, 0, 0, Object.keys(migrations).length])
  })

  const numbers = { up: (db: Database['db']) => db.schema.createTable('numbers').addColumn('n', 'int8').execute() }
  const fails = { up: () => Promise.reject(new Error('no')) }

  test('runs once when several processes start at once', async () => {
    const fresh = await testDatabase('migrate')
    const shipped = { '9001-numbers': numbers }
    const all = await Promise.all([1, 2, 3, 4].map(() => start(fresh.url, shipped)))
    expect(all.flat()).toEqual(['9001-numbers'])
    expect(await start(fresh.url, shipped)).toEqual([])
    await fresh.drop()
  })

  test('leaves nothing of a run that fails', async () => {
    const fresh = await testDatabase('migrate')
    await expect(start(fresh.url, { '9001-numbers': numbers, '9002-fails': fails })).rejects.toThrow('no')
    expect(await start(fresh.url, { '9001-numbers': numbers })).toEqual(['9001-numbers'])
    await fresh.drop()
  })

  test('refuses a database that is newer than the code', async () => {
    const fresh = await testDatabase('migrate')
    await start(fresh.url, { '9001-numbers': numbers })
    await expect(migrate({ connection: fresh.url, log: quiet })).rejects.toThrow(
      'The database is newer than this Coffer (it has the migration 9001-numbers)',
    )
    await fresh.drop()
  })

  test.each([
    ['0001-accounts-and-credits', '0100-accounts'],
    ['0111-validators', '0111-beacon-validators'],
  ])('refuses a database that was made before the first release: with %s', async (old, present) => {
    const fresh = await testDatabase('migrate')
    await fresh.pool.query('update kysely_migration set name = $1 where name = $2', [old, present])
    await expect(migrate({ connection: fresh.url, log: quiet })).rejects.toThrow(
      `The database was made before the first release (it has the migration ${old})`,
    )
    await fresh.drop()
  })

  test('names who holds the lock when it is held for too long', async () => {
    const holder = await own.pool.connect()
    const { rows } = await holder.query('select pg_backend_pid() as pid, pg_advisory_lock(3853314791062309107)')
    const migrating = migrate({ connection: own.url, log: quiet, lockWaitMs: 50 })
    await expect(migrating).rejects.toThrow(`lock of migrations (process ${rows[0].pid} of coffer at 127.0.0.1, `)
    holder.release(true)
    expect(await migrate({ connection: own.url, log: quiet })).toEqual([])
  })

  /** Based on the shipped migrations: the template has them. */
  async function start(connection: string, added: Parameters<typeof migrate>[0]['migrations']): Promise<string[]> {
    const { migrations } = await import('./migrations/index.ts')
    return migrate({ connection, log: quiet, migrations: { ...migrations, ...added } })
  }
})
