import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, expect, inject, onTestFinished, test, vi } from 'vitest'
import { HANGS_MS } from '../../test/hangs.ts'
import { startReplicatedPostgres } from '../../test/replicated-postgres.ts'
import { started } from '../../test/started.ts'
import { type Database, openDatabase } from './database.ts'
import type { Db } from './tables.ts'

const servers = await started(startReplicatedPostgres())
const [primary, standby] = [servers.adminUrl('coffer'), servers.replicaAdminUrl('coffer')].map((connectionString) =>
  new pg.Pool({ connectionString, max: 2 }).on('error', () => undefined),
) as [pg.Pool, pg.Pool]
afterAll(() => Promise.all([primary.end(), standby.end()]))

// A statement waits for a lock until the test releases it.
for (const limit of ['lock_timeout', 'statement_timeout']) {
  await primary.query(`alter role coffer_service in database coffer set ${limit} = '4min'`)
}

// As the role of the service, which has no other rights.
const own = openFor(servers.replicaUrl())
afterAll(() => own.close())
await own.pool.query('create table note (n integer)')

function openFor(replicaUrl: string): Database {
  return openDatabase({ connection: servers.url(), replicaUrl, poolMax: 4, log: () => undefined })
}

const isReplica = async (db: Db) =>
  (await sql<{ is: boolean }>`select pg_is_in_recovery() as is`.execute(db)).rows[0]?.is

const write = async (n: number) => void (await sql`insert into note values (${n})`.execute(own.db))

const count = async (db: Db) =>
  (await sql<{ notes: number }>`select count(*)::integer as notes from note`.execute(db)).rows[0]?.notes

/** Until the standby has all that is committed. */
async function replayed(): Promise<void> {
  const { rows: committed } = await primary.query('select pg_current_wal_flush_lsn() as lsn')
  const has = 'select pg_last_wal_replay_lsn() >= $1::pg_lsn as has'
  await vi.waitFor(async () => expect((await standby.query(has, [committed[0].lsn])).rows).toEqual([{ has: true }]), {
    timeout: HANGS_MS,
  })
}

const serves = () => vi.waitFor(async () => expect(await isReplica(own.reads)).toBe(true), { timeout: HANGS_MS })

async function withReplica<T>(replicaUrl: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openFor(replicaUrl)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

test('long reads use the replica, and each has all that was committed before it', async () => {
  await serves()
  const before = (await count(own.db)) ?? 0
  for (let written = 1; written <= 100; written += 1) {
    await write(written)
    expect(await count(own.reads)).toBe(before + written)
  }
  const { rows } = await sql`select 9007199254740993::int8 as big, 1.50::numeric as amount`.execute(own.reads)
  expect(rows).toEqual([{ big: 9007199254740993n, amount: '1.50' }])
  await serves()
  expect(own.replica?.state()).toBe('serving')
})

test('asynchronous commits are seen too', async () => {
  const client = new pg.Client(servers.url())
  await client.connect()
  try {
    await client.query('alter role current_user set synchronous_commit = off')
    await withReplica(servers.replicaUrl(), async ({ db, reads }) => {
      const before = (await count(db)) ?? 0
      for (let written = 1; written <= 20; written += 1) {
        await sql`insert into note values (0)`.execute(db)
        expect(await count(reads)).toBe(before + written)
      }
    })
  } finally {
    await client.query('alter role current_user reset synchronous_commit')
    await client.end()
  }
})

test('transactions use the primary', async () => {
  await serves()
  expect(await own.reads.transaction().execute(isReplica)).toBe(false)
  expect(await isReplica(own.reads)).toBe(true)
})

test('a replica that does not replay is left out until it has caught up', async () => {
  await serves()
  await standby.query('select pg_wal_replay_pause()')
  onTestFinished(async () => void (await standby.query('select pg_wal_replay_resume()')))
  const before = (await count(own.db)) ?? 0
  await write(1)
  expect(await count(own.reads)).toBe(before + 1)
  expect(own.replica?.state()).toBe('behind')
  const { rows } = await standby.query('select count(*)::integer as notes from note')
  expect(rows).toEqual([{ notes: before }])
  await standby.query('select pg_wal_replay_resume()')
  await serves()
  expect(await count(own.reads)).toBe(before + 1)
  expect(own.replica?.state()).toBe('serving')
})

test('the primary answers a statement whose replica is killed, and all later ones', async () => {
  await serves()
  const before = await count(own.db)
  const holder = await primary.connect()
  await holder.query('begin')
  await holder.query('lock table note in access exclusive mode')
  // Its commit flushes the record of the lock too.
  await primary.query('create table flushed ()')
  await replayed()
  const counted = count(own.reads)
  await vi.waitFor(
    async () => {
      const { rowCount } = await standby.query(`select from pg_stat_activity where wait_event_type = 'Lock'
        and query like '%from note%' and pid <> pg_backend_pid()`)
      expect(rowCount).toBe(1)
    },
    { timeout: HANGS_MS },
  )
  await servers.killReplica()
  await holder.query('commit')
  holder.release()
  expect(await counted).toBe(before)
  expect(await isReplica(own.reads)).toBe(false)
  expect(own.replica?.state()).toBe('away')
  await servers.startReplica()
  await serves()
})

test('a server that is no replica of the database answers nothing', async () => {
  const others = [
    ['the primary itself', servers.url()],
    ['another database of the replica', servers.replicaAdminUrl('postgres')],
    ['another server', inject('postgres').adminUrl],
  ] as const
  for (const [name, url] of others) {
    const found = await withReplica(url, async ({ reads, replica }) => {
      const { rows } = await sql`select current_database() as database, current_user as role`.execute(reads)
      return { name, rows, state: replica?.state() }
    })
    expect(found).toEqual({ name, rows: [{ database: 'coffer', role: 'coffer_service' }], state: 'foreign' })
  }
})

test('faults of a statement are not repeated on the primary', async () => {
  await serves()
  const before = own.replica?.gauge.read()
  await expect(sql`select 1 / 0`.execute(own.reads)).rejects.toMatchObject({ code: '22012' })
  // 57014 is also the limit of a statement.
  const slow = sql`select pg_cancel_backend(pg_backend_pid()), pg_sleep(60)`.execute(own.reads)
  await expect(slow).rejects.toMatchObject({ code: '57014' })
  expect(own.replica?.gauge.read()).toEqual(before)
})
