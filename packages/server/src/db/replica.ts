import { setTimeout as delay } from 'node:timers/promises'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { GaugesSource } from '../lib/metrics.ts'
import { createTickBatch } from '../lib/tick-batch.ts'
import { isDatabaseUnavailable } from './unavailable.ts'

/** Longest wait until the replica has replayed what was committed before a statement. */
const CATCH_UP_MS = 200
const POLL_MS = 5
/** For a server that accepts a connection and is silent. */
const SILENCE_MS = 1_000
/** After a failure the primary alone answers. */
const REST_MS = 5_000
/** SQLSTATE: a statement that takes too long would take as long on the primary. */
const QUERY_CANCELED = '57014'

/** At its last statement. `foreign`: no replica of this database. */
type State = 'serving' | 'behind' | 'away' | 'foreign'

export type Replica = { state(): State; gauge: GaugesSource }

/** In bytes of the write-ahead log. `database`: of the cluster, equal on its replicas. */
type Position = { bytes: bigint | null; database: string }

const positionOf = (lsn: string) => `
  select pg_wal_lsn_diff(${lsn}, '0/0')::bigint as bytes, concat_ws('/',
    (select system_identifier from pg_control_system()),
    (select oid from pg_database where datname = current_database())) as database`

/** A commit is visible once it is flushed, unless commits are asynchronous. */
const COMMITTED = positionOf(
  "case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end",
)
const REPLAYED = positionOf('case when pg_is_in_recovery() then pg_last_wal_replay_lsn() end')

type Pools = {
  primary: PostgresPool
  /** Not in turns. */
  ask(statement: string): Promise<{ rows: Position[] }>
  replica: PostgresPool
  warn(message: string): void
}

/**
 * Statements outside transactions go to the replica if it has all that was committed before they began, and else to
 * the primary.
 */
export function withReplica({ primary, ask, replica, warn }: Pools): { pool: PostgresPool; status: Replica } {
  const counts = { replica: 0, primary: 0 }
  let state: State = 'serving'
  let restsUntil = 0
  const committed = createTickBatch<void, Position | undefined>(async (asked) => {
    const [position] = (await ask(COMMITTED)).rows
    return asked.map(() => position)
  })

  function rest(next: State, reason = ''): undefined {
    if (state !== next) warn(`the replica of the database is ${next}${reason}: the primary answers in its place`)
    state = next
    restsUntil = performance.now() + REST_MS
  }

  async function answer(text: string, parameters: readonly unknown[]) {
    if (performance.now() < restsUntil) return undefined
    const position = await committed()
    if (!position) return undefined
    try {
      const client = await replica.connect()
      return await onClient(client, async () => {
        const found = await compare(client, position)
        if (found !== 'serving') return rest(found)
        const result = await client.query<unknown>(text, parameters)
        state = found
        return result
      })
    } catch (thrown) {
      if (!isDatabaseUnavailable(thrown) || (thrown as { code?: unknown }).code === QUERY_CANCELED) throw thrown
      return rest('away', ` (${(thrown as Error).message})`)
    }
  }

  async function connect(): Promise<PostgresPoolClient> {
    let pinned: PostgresPoolClient | undefined
    async function query(text: string, parameters: readonly unknown[]) {
      const isTransaction = /^(begin|start transaction)\b/.test(text)
      const answered = pinned || isTransaction ? undefined : await answer(text, parameters)
      counts[answered ? 'replica' : 'primary'] += 1
      if (answered) return answered
      pinned ??= await primary.connect()
      return pinned.query<unknown>(text, parameters)
    }
    return { query: query as PostgresPoolClient['query'], release: (failure) => pinned?.release(failure) }
  }

  const gauge: GaugesSource = {
    name: 'coffer_replica_statements',
    help: 'Statements of long reads since the start, by the server that answered',
    labelNames: ['server'],
    read: () => Object.entries(counts).map(([server, value]) => ({ labels: { server }, value })),
  }
  return {
    pool: { options: replica.options, connect, end: () => replica.end() },
    status: { state: () => state, gauge },
  }
}

async function onClient<T>(client: PostgresPoolClient, work: () => Promise<T>): Promise<T> {
  let isBroken = true
  try {
    const result = await work()
    isBroken = false
    return result
  } finally {
    client.release(isBroken)
  }
}

async function compare(client: PostgresPoolClient, { bytes, database }: Position): Promise<State> {
  // Untyped option of `pg`.
  const asked = { text: REPLAYED, query_timeout: SILENCE_MS } as unknown as string
  for (const until = performance.now() + CATCH_UP_MS; ; ) {
    const [replayed] = (await client.query<Position>(asked, [])).rows
    if (replayed?.database !== database || replayed.bytes === null) return 'foreign'
    if (replayed.bytes >= (bytes ?? 0n)) return 'serving'
    if (performance.now() >= until) return 'behind'
    await delay(POLL_MS)
  }
}
