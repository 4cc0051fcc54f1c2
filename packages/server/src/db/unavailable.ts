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
