import pg from 'pg'

/** SQLSTATE: connection, refused login, deadlock or serialization, no resources, operator or time limit, lock. */
const passing = /^(08|28|3D|40|53|57|55P03)/

const lostConnection =
  /^(E(CONN\w+|PIPE|TIMEDOUT|HOST\w+|NET\w+|NOTFOUND|AI_\w+|NOENT|ACCES|MFILE|NFILE|ADDRNOTAVAIL)|ERR_(TLS|SSL)_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/

const driverMessage = new RegExp(
  [
    'Connection terminated',
    'timeout expired',
    'timeout exceeded when trying to connect',
    'Query read timeout',
    'Client (has encountered a connection error|was closed) and is not queryable',
    'Cannot use a pool after calling end on the pool',
    'The server does not support SSL connections',
    'There was an error establishing an SSL connection',
    'SASL',
  ]
    .map((message) => `^${message}`)
    .join('|'),
)

/** Returns false for unknown errors: bugs never look like outages. */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  if (thrown instanceof pg.DatabaseError) return passing.test(thrown.code ?? '')
  if (!(thrown instanceof Error)) return false
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
  return code === undefined ? driverMessage.test(thrown.message) : lostConnection.test(code)
}

const BELIEVED_MS = 5_000

/** Writes a third of a megabyte to a temporary file: a full disk refuses it like a table page. Takes no lock. */
const WRITE = `
  select set_config('work_mem', '64kB', true);
  select count(*) from generate_series(1, 20000);
  select current_setting('transaction_read_only') as read_only`

export function createWriteCheck(pool: pg.Pool, now: () => number = () => performance.now()): () => Promise<void> {
  let wroteAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (now() - wroteAt < BELIEVED_MS) {
      await pool.query('select 1')
      return
    }
    const results: unknown = await pool.query(WRITE)
    const last = Array.isArray(results) ? (results.at(-1) as pg.QueryResult<{ read_only: string }>) : undefined
    if (last?.rows[0]?.read_only !== 'off') throw new Error('the database is read-only')
    wroteAt = now()
  }
}
