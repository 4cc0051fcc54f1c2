import { CompiledQuery } from 'kysely'
import type pg from 'pg'
import { type ConstructorOptions, type JobWithMetadata, PgBoss } from 'pg-boss'
import { type Connection, openPlainPool, transact } from '../db/database.ts'
import { LOCKS } from '../db/locks.ts'
import type { Trx } from '../db/tables.ts'
import { compareText } from '../lib/compare-text.ts'
import type { Logger } from '../lib/logger.ts'
import { traced } from '../lib/tracing.ts'
import { startRepeats } from './schedule.ts'

const SCHEMA = 'jobs'
const POOL_MAX = 4
/** `startPolling` wakes workers earlier. */
const IDLE_POLL_SECONDS = 60
const GRACE_SECONDS = 120
const QUEUE_CACHE_SECONDS = 1
const KEPT_SECONDS = 86_400

/**
 * Must be idempotent by a natural key: jobs of a dead process run elsewhere. The signal aborts on stop, at the time
 * limit, or when another process got the job. `attempt` begins at 1.
 */
export type JobHandler<T extends object> = (signal: AbortSignal, data: T, run: { attempt: number }) => Promise<void>

export type JobOptions = {
  concurrency?: number
  /** Default 5. 0 for work that a schedule repeats. */
  retryLimit?: number
  /** Doubles up to ten minutes. */
  retryDelaySeconds?: number
  /** Default 900. The signal aborts then; the handler decides the outcome. */
  limitSeconds?: number
  /** `until done` (default): one job of a key waits or runs. `until begun`: one may wait while one runs. */
  oncePerKey?: 'until done' | 'until begun'
}

type SendOptions = {
  /** Natural key within the name. */
  singletonKey: string
  /** Higher starts first; default 0. */
  priority?: number
  /** A time, or seconds from now. */
  startAfter?: Date | number
  /** Enqueues within it. Call `wake` after the commit. */
  trx?: Trx
}

export type Jobs = ReturnType<typeof createJobs>

export type JobDefinition = {
  name: string
  handler: JobHandler<never>
  options?: JobOptions
  /** One job with data `{}` per interval, for all processes. */
  everySeconds?: number
}

const DEFAULT_TIMING = {
  /** Delay of jobs that another process enqueued. */
  pollSeconds: 2,
  /** A worker without one for this long loses its job. */
  heartbeatSeconds: 30,
  superviseSeconds: 15,
  /** For running jobs after `stop`. */
  drainLimitMs: 10_000,
}

type Timing = typeof DEFAULT_TIMING

/** Runs jobs at least once. `start` needs all definitions even to enqueue only, and creates missing tables. */
export function createJobs({
  connection,
  log,
  works = true,
  timing: chosen = {},
}: {
  connection: Connection
  log: Logger
  /** False: this process only enqueues. */
  works?: boolean
  timing?: Partial<Timing>
}) {
  const timing = { ...DEFAULT_TIMING, ...chosen }
  const pool = openPlainPool({ connection, poolMax: POOL_MAX, log: (message) => log.warn(message) })
  const boss = createBoss(pool, { supervise: works, timing, log })
  const workers = new Map<string, string[]>()
  const stopping = new AbortController()
  let endRepeats: (() => Promise<void>) | undefined
  let endPolling: (() => Promise<void>) | undefined

  function wake(name: string): void {
    for (const id of workers.get(name) ?? []) boss.notifyWorker(id)
  }

  /** False if `oncePerKey` rejects the job. */
  async function send(name: string, data: object, { trx, ...options }: SendOptions): Promise<boolean> {
    const id = await boss.send(name, data, { ...options, ...(trx && { db: inTransaction(trx) }) })
    if (!trx) wake(name)
    return id !== null
  }

  async function sendAll<T extends object>(
    name: string,
    wanted: readonly { singletonKey: string; priority?: number; data: T }[],
    trx?: Trx,
  ): Promise<void> {
    if (wanted.length === 0) return
    // Different orders of the same keys could deadlock.
    const ordered = wanted.toSorted((a, b) => compareText(a.singletonKey, b.singletonKey))
    await boss.insert(name, ordered, trx && { db: inTransaction(trx) })
    if (!trx) wake(name)
  }

  async function findWithoutJob<K extends string>(name: string, keys: readonly K[]): Promise<K[]> {
    const text = `select key from unnest($2::text[]) as key where not exists (
      select from jobs.job where name = $1 and singleton_key = key and state <= 'active')`
    const { rows } = await pool.query<{ key: K }>(text, [name, keys])
    return rows.map(({ key }) => key)
  }

  async function start(jobs: readonly JobDefinition[]): Promise<void> {
    await boss.start()
    await createQueues(boss, pool, jobs, timing)
    await createIndex(pool)
    if (!works) return
    for (const job of jobs) {
      workers.set(job.name, await startWorkers(boss, job, { log, stopping: stopping.signal }))
    }
    endPolling = startPolling(pool, [...workers.keys()], { everySeconds: timing.pollSeconds, wake, log })
    endRepeats = startRepeats(boss, pool, jobs, { wake, log })
  }

  let drained: Promise<void> | undefined
  /** Aborts the signals of running jobs and waits up to 10 s. Jobs can be enqueued until `stop`. */
  function drain(): Promise<void> {
    drained ??= endWork()
    return drained
  }

  async function endWork(): Promise<void> {
    stopping.abort(new Error('the process stops'))
    await Promise.all([endRepeats?.(), endPolling?.()])
    const ended = Promise.all([...workers.keys()].map((name) => boss.offWork(name, { wait: true })))
    const patience = AbortSignal.timeout(timing.drainLimitMs)
    await Promise.race([ended, new Promise((resolve) => patience.addEventListener('abort', resolve))])
  }

  /** Unfinished jobs run again elsewhere. */
  async function stop(): Promise<void> {
    await drain()
    await boss.stop({ graceful: false })
    if (!pool.ended) await pool.end()
  }

  return { send, sendAll, wake, findWithoutJob, start, drain, stop }
}

function createBoss(pool: pg.Pool, { supervise, timing, log }: { supervise: boolean; timing: Timing; log: Logger }) {
  const options: ConstructorOptions = {
    schema: SCHEMA,
    db: { executeSql: async (text, values) => pool.query(text, values) },
    supervise,
    schedule: false,
    superviseIntervalSeconds: timing.superviseSeconds,
    monitorIntervalSeconds: timing.superviseSeconds,
    queueCacheIntervalSeconds: QUEUE_CACHE_SECONDS,
  }
  const boss = new PgBoss(options)
  // Callers retry failed statements. Errors of workers are copies, not instances of `Error`.
  boss.on('error', (err) => {
    const error = err instanceof Error ? err : Object.assign(new Error(), err)
    log.warn({ err: error }, 'a job queue statement failed and is repeated; jobs may start late: check the database')
  })
  boss.on('warning', ({ message, data }) => log.warn({ data }, message))
  return boss
}

const INDEX = 'job_common_states'

/** For counts by state, and the time of the last failure. */
async function createIndex(pool: pg.Pool): Promise<void> {
  await transact(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [LOCKS.schedule, INDEX])
    const { rows } = await client.query<{ has: boolean }>('select to_regclass($1) is not null as has', [
      `${SCHEMA}.${INDEX}`,
    ])
    if (rows[0]?.has) return
    await client.query(`create index ${INDEX} on ${SCHEMA}.job_common (name, state, completed_on)`)
  })
}

const limitOf = ({ limitSeconds = 900 }: JobOptions): number => limitSeconds

async function createQueues(
  boss: PgBoss,
  pool: pg.Pool,
  jobs: readonly JobDefinition[],
  timing: Timing,
): Promise<void> {
  const present = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]))
  for (const { name, options = {} } of jobs) {
    const policy: KeyPolicy = options.oncePerKey === 'until begun' ? 'stately' : 'exclusive'
    const queue = present.get(name)
    const wanted = queueSettings(options, timing)
    if (!queue) await boss.createQueue(name, { policy, ...wanted })
    if (queue && queue.policy !== policy) await changePolicy(pool, name, policy)
    if (queue && isOutdated(queue, wanted)) await boss.updateQueue(name, wanted)
  }
}

function queueSettings(options: JobOptions, timing: Timing) {
  return {
    retryLimit: options.retryLimit ?? 5,
    retryDelay: options.retryDelaySeconds ?? 5,
    retryBackoff: true,
    retryDelayMax: 600,
    // The queue fails a run only if its handler ignores the signal.
    expireInSeconds: limitOf(options) + GRACE_SECONDS,
    heartbeatSeconds: timing.heartbeatSeconds,
    deleteAfterSeconds: KEPT_SECONDS,
  }
}

const isOutdated = <T extends object>(queue: Partial<T>, wanted: T): boolean =>
  Object.entries(wanted).some(([option, value]) => queue[option as keyof T] !== value)

async function startWorkers(
  boss: PgBoss,
  { name, options = {}, ...definition }: JobDefinition,
  { log, stopping }: { log: Logger; stopping: AbortSignal },
): Promise<string[]> {
  const handler = definition.handler as JobHandler<object>
  const run = async (job: JobWithMetadata<object>): Promise<void> => {
    const attempt = job.retryCount + 1
    const limit = AbortSignal.timeout(limitOf(options) * 1_000)
    try {
      const signal = AbortSignal.any([job.signal, stopping, limit])
      const span = { name: `job ${name}`, kind: 'job', attributes: { 'coffer.attempt': attempt } } as const
      await traced(span, () => handler(signal, job.data, { attempt }))
    } catch (err) {
      const isLast = job.retryCount >= job.retryLimit
      if (stopping.aborted && job.retryLimit === 0) {
        log.info({ job: name }, 'shutdown interrupted a job; its schedule runs it again')
        return
      }
      if (isLast) log.error({ err, job: name, attempt }, 'a job failed, no retries left; only a schedule repeats it')
      else log.warn({ err, job: name, attempt }, 'a job failed and will be retried')
      throw err
    }
  }
  const ids: string[] = []
  for (let index = 0; index < (options.concurrency ?? 1); index += 1) {
    const work = async ([job]: JobWithMetadata<object>[]): Promise<void> => {
      if (!job) return
      const next = ids[index + 1]
      if (next !== undefined) boss.notifyWorker(next)
      await run(job).finally(() => boss.notifyWorker(ids[index] ?? ''))
    }
    ids.push(await boss.work(name, { pollingIntervalSeconds: IDLE_POLL_SECONDS, includeMetadata: true }, work))
  }
  return ids
}

/** Asks for due jobs of all queues in one statement, and wakes their workers. Returns a function that ends it. */
function startPolling(
  pool: pg.Pool,
  names: readonly string[],
  { everySeconds, wake, log }: { everySeconds: number; wake(name: string): void; log: Logger },
): () => Promise<void> {
  const text = `select name from unnest($1::text[]) as queues (name) cross join lateral (
    select from jobs.job where job.name = queues.name and state < 'active' and not blocked and start_after <= now()
    limit 1) as due`
  let running: Promise<void> | undefined

  async function look(): Promise<void> {
    try {
      const { rows } = await pool.query<{ name: string }>(text, [names])
      for (const { name } of rows) wake(name)
    } catch (err) {
      log.warn({ err }, 'due jobs could not be looked up; the next poll tries again')
    }
    running = undefined
  }

  const timer = setInterval(() => {
    running ??= look()
  }, everySeconds * 1_000).unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}

function inTransaction(trx: Trx): NonNullable<ConstructorOptions['db']> {
  return { executeSql: (text, values) => trx.executeQuery(CompiledQuery.raw(text, values ?? [])) as never }
}

/** pg-boss policies per key. `exclusive`: one job waits or runs. `stately`: one waits and one runs. */
type KeyPolicy = 'exclusive' | 'stately'

/** For `exclusive`, keeps one open job per key: the furthest state, then the oldest. */
function changePolicy(pool: pg.Pool, name: string, policy: KeyPolicy): Promise<void> {
  return transact(pool, async (client) => {
    // No process may enqueue under the old policy meanwhile.
    await client.query('lock table jobs.job in share row exclusive mode')
    if (policy === 'exclusive') {
      const text = `delete from jobs.job where name = $1 and id in (
        select id from (
          select id, row_number() over (partition by singleton_key order by state desc, created_on) as place
          from jobs.job where name = $1 and state <= 'active') as open
        where place > 1)`
      await client.query(text, [name])
    }
    await client.query(`update jobs.job set policy = $2 where name = $1 and state <= 'active'`, [name, policy])
    await client.query('update jobs.queue set policy = $2, updated_on = now() where name = $1', [name, policy])
  })
}
