import { createServer } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { startTransactionPooler } from '../../test/transaction-pooler.ts'
import { StartupError } from '../lib/startup-error.ts'
import { openDatabase, openUnlimited } from './database.ts'
import { checkDatabase } from './start-check.ts'

const own = await testDatabase('start_check')
afterAll(() => own.drop())

const log = () => undefined

/** The one sentence that refuses a start with this URL. */
async function refusalOf(url: string): Promise<string> {
  const thrown = await checkDatabase(url, { log, patienceMs: 0 }).catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(StartupError)
  const { message } = thrown as StartupError
  expect(message).toMatch(/^[^\n]+[.]$/)
  expect(message).not.toContain('s3cret')
  return message
}

const changed = (change: (url: URL) => void) => {
  const url = new URL(own.url)
  change(url)
  return url.href
}

/** A server that sends only `answer` to each client. Undefined: it closes the connection. */
async function impostor(answer: string | undefined) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    if (answer === undefined) socket.end()
    else socket.end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { url: `postgres://me:s3cret@127.0.0.1:${port}/x`, port, close: () => server.close() }
}

test('a database that can be used passes', async () => {
  await checkDatabase(own.url, { log, patienceMs: 0 })
})

test('an absent server and a wrong host, database, role or password are each reported in a sentence', async () => {
  const free = await impostor('')
  free.close()
  expect(await refusalOf(free.url)).toBe(
    `No PostgreSQL listens at 127.0.0.1:${free.port}: start it, or correct DATABASE_URL.`,
  )
  expect(await refusalOf('postgres://me:s3cret@nowhere.invalid/x')).toMatch(/nowhere[.]invalid.+DATABASE_URL/)
  expect(await refusalOf(changed((url) => (url.pathname = '/missing')))).toMatch(/^There is no database missing at /)
  for (const change of [(url: URL) => (url.username = 'stranger'), (url: URL) => (url.password = 's3cret')]) {
    expect(await refusalOf(changed(change))).toMatch(/(rejects|denies access to) the role/)
  }
  expect(await refusalOf(changed((url) => (url.password = '')))).toMatch(
    /has none[.]$|(rejects|denies access to) the role/,
  )
})

test('what is no PostgreSQL is called so', async () => {
  for (const answer of ['HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n', undefined]) {
    const other = await impostor(answer)
    expect(await refusalOf(other.url)).toBe(
      `127.0.0.1:${other.port} does not answer as PostgreSQL: if it is one, it may be overloaded; else correct DATABASE_URL.`,
    )
    other.close()
  }
})

test('a role without rights in an empty database is reported with the missing right', async () => {
  const admin = new pg.Client(own.url)
  await admin.connect()
  const name = `plain_${Date.now()}`
  await admin.query(`create role ${name} login password 's3cret'`)
  await admin.query(`create database ${name}`)
  try {
    const url = changed((changing) => {
      changing.username = name
      changing.password = 's3cret'
      changing.pathname = `/${name}`
    })
    expect(await refusalOf(url)).toMatch(new RegExp(`^The role ${name} may not create tables in the schema public`))
    await admin.query(`alter database ${name} owner to ${name}`)
    await checkDatabase(url, { log, patienceMs: 0 })
  } finally {
    await admin.query(`drop database ${name}`)
    await admin.query(`drop role ${name}`)
    await admin.end()
  }
})

test('a server that is still starting is waited for', async () => {
  const first = await impostor('')
  first.close()
  const url = changed((changing) => {
    changing.port = String(first.port)
  })
  const waited: string[] = []
  const checking = checkDatabase(url, { log: (line) => waited.push(line), patienceMs: 25_000 })
  await expect.poll(() => waited.length).toBe(1)
  const { port, hostname } = new URL(own.url)
  const { connect } = await import('node:net')
  const forwarder = createServer((socket) => {
    const server = connect(Number(port), hostname)
    socket.pipe(server).pipe(socket)
    for (const end of [socket, server]) end.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => forwarder.listen(first.port, '127.0.0.1', resolve))
  await checking
  forwarder.close()
})

test('a server that is too busy to answer is asked again', async () => {
  const { port, hostname } = new URL(own.url)
  const { connect } = await import('node:net')
  let connections = 0
  const forwarder = createServer((socket) => {
    socket.on('error', () => undefined)
    connections += 1
    if (connections === 1) return
    const server = connect(Number(port), hostname)
    server.on('error', () => undefined)
    socket.pipe(server).pipe(socket)
  })
  await new Promise<void>((resolve) => forwarder.listen(0, '127.0.0.1', resolve))
  const url = changed((changing) => {
    changing.port = String((forwarder.address() as { port: number }).port)
  })
  const waited: string[] = []
  await checkDatabase(url, { log: (line) => waited.push(line), connectMs: 2_000 })
  expect(waited).toHaveLength(1)
  forwarder.close()
})

test('behind a pooler that gives each transaction another session, the role has the settings', async () => {
  const pooler = await startTransactionPooler(own.url)
  onTestFinished(() => pooler.stop())
  await checkDatabase(pooler.url, { log, patienceMs: 0 })
  const settings = async () => {
    const through = new pg.Client(pooler.url)
    through.on('error', () => undefined)
    await through.connect()
    const { rows } = await through.query(
      `select pg_backend_pid() as pid, current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
        current_setting('search_path') as path, current_setting('DateStyle') as dates`,
    )
    await through.end()
    return rows[0] as { pid: number }
  }
  const before = await settings()
  expect(before).toMatchObject({ statement: '5s', lock: '2s', path: 'public', dates: 'ISO, MDY' })
  // Settings that are right end no session.
  await checkDatabase(pooler.url, { log, patienceMs: 0 })
  expect(await settings()).toEqual(before)
})

test('a process whose pooler shares sessions changes none of their limits', async () => {
  const pooler = await startTransactionPooler(own.url)
  onTestFinished(() => pooler.stop())
  await checkDatabase(pooler.url, { log, patienceMs: 0 })
  const unlimited = openUnlimited(pooler.url, log)
  await sql`select 1`.execute(unlimited.db)
  await unlimited.close()
  const service = openDatabase({ connection: pooler.url, poolMax: 2, log })
  const limits = sql`select current_setting('statement_timeout') as statement from generate_series(1, 2)`
  expect((await limits.execute(service.db)).rows).toEqual([{ statement: '5s' }, { statement: '5s' }])
  await service.close()
})
