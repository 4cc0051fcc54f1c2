import { createServer, type Server } from 'node:net'
import pg from 'pg'
import { expect, test } from 'vitest'
import { suiteDatabase } from '../../test/database.ts'
import { openPlainPool } from './database.ts'
import { isDatabaseUnavailable } from './unavailable.ts'

const database = await suiteDatabase('unavailable')

const rejection = (failing: Promise<unknown>): Promise<unknown> =>
  failing.then(
    () => expect.unreachable('it was to fail'),
    (thrown: unknown) => thrown,
  )

/** The error of a statement on a server that handles every connection with `treat`. */
async function errorOf(treat: Parameters<typeof createServer>[1], options: pg.ClientConfig = {}): Promise<unknown> {
  const server: Server = createServer(treat)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'x', database: 'x', ...options })
  client.on('error', () => undefined)
  const thrown = await rejection(client.connect())
  server.close()
  return thrown
}

test('a connection that is refused, lost or not made in time is an outage', async () => {
  const outages = [
    await rejection(new pg.Client('postgres://127.0.0.1:1/none').connect()),
    await rejection(new pg.Client('postgres://localhost:1/none').connect()),
    await rejection(new pg.Client('postgres://nowhere.invalid/none').connect()),
    await rejection(new pg.Client({ host: '/nowhere', user: 'x' }).connect()),
    await errorOf((socket) => socket.destroy()),
    await errorOf(() => undefined, { connectionTimeoutMillis: 1 }),
    await errorOf((socket) => socket.once('data', () => socket.write('N')), { ssl: true }),
  ]
  expect(outages.map((thrown) => [String(thrown), isDatabaseUnavailable(thrown)])).toEqual(
    outages.map((thrown) => [String(thrown), true]),
  )
})

test('so are connections that the server ends, and a pool without one', async () => {
  const client = new pg.Client(database.url)
  client.on('error', () => undefined)
  await client.connect()
  const pool = openPlainPool({ connection: database.url, poolMax: 1, log: () => undefined })
  const held = await pool.connect()
  pool.options.connectionTimeoutMillis = 1
  const outages = [
    await rejection(client.query('select pg_terminate_backend(pg_backend_pid())')),
    await rejection(client.query('select 1')),
    await rejection(pool.query('select 1')),
    await rejection(held.query({ text: 'select pg_sleep(10)', query_timeout: 1 } as pg.QueryConfig)),
  ]
  held.release(true)
  await pool.end()
  outages.push(await rejection(pool.query('select 1')))
  expect(outages.map((thrown) => [String(thrown), isDatabaseUnavailable(thrown)])).toEqual(
    outages.map((thrown) => [String(thrown), true]),
  )
})

test('a wrong statement, a misused library and an internal error are not', async () => {
  const others = [
    await rejection(database.pool.query('select nothing')),
    await rejection(database.pool.query('select $1::text', 'no list' as never)),
    new TypeError('x is undefined'),
    new RangeError('Maximum BigInt size exceeded'),
    Object.assign(new Error('bad address'), { code: 'ERR_INVALID_ARG_TYPE' }),
    'a string',
    undefined,
  ]
  expect(others.map((thrown) => isDatabaseUnavailable(thrown))).toEqual(others.map(() => false))
})
