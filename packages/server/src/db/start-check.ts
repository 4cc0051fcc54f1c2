import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StartupError } from '../lib/startup-error.ts'
import { prepareRole } from './database.ts'

const PATIENCE_MS = 30_000
const POLL_MS = 500
const CONNECT_LIMIT_MS = 5_000
/** Shared sessions show in the first rounds. */
const ROUNDS = 10

type Place = { server: string; role: string; database: string }

/** Waits for a starting server. Throws `StartupError` with what to do. */
export async function checkDatabase(
  url: string,
  {
    log,
    patienceMs = PATIENCE_MS,
    connectMs = CONNECT_LIMIT_MS,
  }: { log: (message: string) => void; patienceMs?: number; connectMs?: number },
): Promise<void> {
  const until = performance.now() + patienceMs
  for (let tries = 1; ; tries += 1) {
    const { problem, place } = await tryOnce(url, connectMs)
    if (problem === undefined) return
    if (!isStarting(problem) || performance.now() >= until) throw explain(problem, place)
    if (tries === 1) log(`${place.server} does not accept connections yet; waiting for it`)
    await delay(POLL_MS)
  }
}

async function tryOnce(url: string, connectMs: number): Promise<{ problem?: unknown; place: Place }> {
  const clients = [0, 1].map(() => new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs }))
  const [one, other] = clients as [pg.Client, pg.Client]
  const place = { server: `${one.host}:${one.port}`, role: one.user ?? '', database: one.database ?? '' }
  // Pending queries reject too.
  for (const client of clients) client.on('error', () => undefined)
  try {
    await one.connect()
    await other.connect()
    await refuseWithoutRights(one, place)
    if (await shareSessions([one, other])) await prepareRole(one)
    return { place }
  } catch (problem) {
    return { problem, place }
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)))
  }
}

/** True behind a pooler that gives each transaction another session. */
async function shareSessions([one, other]: [pg.Client, pg.Client]): Promise<boolean> {
  const processOf = async (client: pg.Client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return rows[0]?.pid
  }
  const first = await processOf(one)
  for (let round = 0; round < ROUNDS; round += 1) {
    const others = await processOf(other)
    if (others === first || (await processOf(one)) !== first) return true
  }
  return false
}

async function refuseWithoutRights(client: pg.Client, { role, database }: Place): Promise<void> {
  const { rows } = await client.query<{ migrated: boolean; tables: boolean; schemas: boolean }>(
    `select to_regclass('public.kysely_migration') is not null as migrated,
      has_schema_privilege('public', 'create') as tables, has_database_privilege(current_database(), 'create') as schemas`,
  )
  const { migrated, tables, schemas } = rows[0] ?? {}
  if (migrated || (tables && schemas)) return
  throw new StartupError(
    `The role ${role} may not create ${tables ? 'schemas' : 'tables in the schema public'} in the database ${database}: make it the owner (alter database ${database} owner to ${role}).`,
  )
}

const codeOf = (problem: unknown): string => String((problem as { code?: unknown }).code ?? '')

/** 57P03 cannot_connect_now, 53300 too_many_connections; a busy server takes longer than `CONNECT_LIMIT_MS`. */
function isStarting(problem: unknown): boolean {
  const isSlow = /timeout expired|connection timeout/.test((problem as Error).message)
  return isSlow || ['ECONNREFUSED', 'EAI_AGAIN', '57P03', '53300'].includes(codeOf(problem))
}

const correct = 'correct DATABASE_URL'
const orElse = `if it is one, it may be overloaded; else ${correct}`

/** Messages for a peer that is silent or does not speak PostgreSQL's protocol. */
const noProtocol = /Connection terminated|timeout expired|SSL connection|does not support SSL|ECONNRESET|EPIPE/

function explain(problem: unknown, { server, role, database }: Place): unknown {
  if (problem instanceof StartupError) return problem
  const code = codeOf(problem)
  const message = (problem as Error).message.split('\n')[0] || code
  const sentences: Record<string, string> = {
    ECONNREFUSED: `No PostgreSQL listens at ${server}: start it, or ${correct}.`,
    ENOTFOUND: `The host of ${server} is unknown: ${correct}.`,
    EAI_AGAIN: `The name of ${server} cannot be resolved: check the name servers, or ${correct}.`,
    '3D000': `There is no database ${database} at ${server}: create it, or ${correct}.`,
    '28P01': `PostgreSQL at ${server} rejects the role ${role} or its password: ${correct}.`,
    '28000': `PostgreSQL at ${server} denies access to the role ${role} (${message}): ${correct}.`,
    '57P03': `PostgreSQL at ${server} is still starting up or shutting down: try again when it accepts connections.`,
    '53300': `PostgreSQL at ${server} accepts no more connections: raise max_connections, or close other connections.`,
    '08P01': `${server} refuses the connection's settings (${message}): if it is a pooler, remove further parameters from DATABASE_URL.`,
  }
  const known = sentences[code]
  if (known !== undefined) return new StartupError(known, { cause: problem })
  if (/password must be a string/.test(message)) {
    return new StartupError(`PostgreSQL at ${server} requires a password, and DATABASE_URL has none.`, {
      cause: problem,
    })
  }
  if (noProtocol.test(`${message} ${code}`)) {
    return new StartupError(`${server} does not answer as PostgreSQL: ${orElse}.`, { cause: problem })
  }
  return new StartupError(`The database ${database} at ${server} cannot be used (${message}): ${correct}.`, {
    cause: problem,
  })
}
