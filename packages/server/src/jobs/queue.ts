import { CompiledQuery, type Transaction } from 'kysely'
import type pg from 'pg'
import { type ConstructorOptions, type JobWithMetadata, PgBoss } from 'pg-boss'
import { type Connection, openPlainPool } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import { compareText } from '../lib/compare-text.ts'
import type { Logger } from '../lib/logger.ts'
import { changePolicy, type KeyPolicy } from './key-policy.ts'
import { createRepeats } from './schedule.ts'

/** Where the queue keeps its own tables, beside those of `Tables`. */
const SCHEMA = 'jobs'
/** Few: a worker's connections are busy for a statement, not for a job. */
const POOL_MAX = 4
/** Poll interval of all but the first worker of a name, in seconds: a worker that gets a job wakes the next one. */
const IDLE_POLL_SECONDS = 60
/** How long a handler may go on after its signal aborted before the queue gives its job away, in seconds. */
const GRACE_SECONDS = 120
/** Longest age of the cached state of queues, in seconds. */
const QUEUE_CACHE_SECONDS = 1
/** How long ended jobs can be looked up, in seconds. */
const KEPT_SECONDS = 86_400

/** 1 for the first run of a job. */
type Run = { attempt: number }

/**
 * Does one job. If it rejects, the job is retried after a delay, up to its `retryLimit`. The jobs of a process that
 * dies run elsewhere, so a job may run again after its work is done: a handler must be idempotent by a natural key. The
 * signal aborts when the process stops, when the run reaches its time limit or when the job was given to another
 * process; the handler must then end soon. It is the first parameter, so that a handler cannot take its data without
 * it.
 */
export type JobHandler<T extends object> = (signal: AbortSignal, data: T, run: Run) => Promise<void>

export type JobOptions = {
  /** Jobs of this name that one process runs at a time. */
  concurrency?: number
  /** Retries of a job that failed or was lost; 5 unless given. 0 for work that a schedule repeats. */
  retryLimit?: number
  /** Before the first run again, in seconds; doubles each time up to ten minutes. */
  retryDelaySeconds?: number
  /**
   * Time limit of one run, in seconds; 900 unless given. The signal aborts then, and the handler still decides the
   * outcome.
   */
  limitSeconds?: number
  /**
   * Deduplicates by key. `until done` (the default): a job is not enqueued while another of its key waits or runs.
   * `until begun`: one may wait while one runs; two of one key never run at once.
   */
  oncePerKey?: 'until done' | 'until begun'
}

type SendOptions = {
  /** The job's natural key within its name; see `oncePerKey`. */
  singletonKey: string
  /** Jobs of higher priority start first; 0 unless given. */
  priority?: number
  /** Earliest start: a time, or seconds from now. */
  startAfter?: Date | number
  /** Enqueues as part of this transaction. Call `wake` after the commit, so that the job starts at once. */
  trx?: Transaction<Tables>
}

export type Jobs = ReturnType<typeof createJobs>

/** The jobs of one name as data; the process hands all of them to `start`. */
export type JobDefinition = {
  name: string
  /** Of what is enqueued under this name. */
  handler: JobHandler<never>
  options?: JobOptions
  /** A job with data `{}` is enqueued once for all processes in each interval of so many seconds. */
  everySeconds?: number
}

type Definition = { name: string; handler: JobHandler<object>; options: JobOptions }

const DEFAULT_TIMING = {
  /** How long a job enqueued by another process may lie before a worker looks. */
  pollSeconds: 2,
  /** A worker without a heartbeat for so long loses its job. */
  heartbeatSeconds: 30,
  /** How often lost jobs are looked for. */
  superviseSeconds: 15,
  /** How long running jobs may still take after `stop`; they have been told to end. */
  drainLimitMs: 10_000,
}

type Timing = typeof DEFAULT_TIMING

/**
 * Jobs that outlive a request and a process: queued in PostgreSQL, run at least once by any worker process. `start` needs
 * all definitions, also in a process that only enqueues, and creates the missing tables of the queue. Workers wait for a
 * database that is down; enqueued jobs are there when it is back.
 */
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
  const repeats = createRepeats({ boss, pool, log })

  /** Makes the workers of this process look for jobs of the name now; without workers it does nothing. */
  function wake(name: string): void {
    for (const id of workers.get(name) ?? []) boss.notifyWorker(id)
  }

  const { send, sendAll } = createSender(boss, wake)

  /** Returns the keys for which no job of this name waits, runs or awaits a retry. */
  async function findWithoutJob<K extends string>(name: string, keys: readonly K[]): Promise<K[]> {
    const text = `select key from unnest($2::text[]) as key where not exists (
      select from jobs.job where name = $1 and singleton_key = key and state <= 'active')`
    const { rows } = await pool.query<{ key: K }>(text, [name, keys])
    return rows.map(({ key }) => key)
  }

  async function start(jobs: readonly JobDefinition[]): Promise<void> {
    // A job of a name carries what `send` enqueued under it.
    const definitions = jobs.map(
      ({ name, handler, options = {} }): Definition => ({ name, handler: handler as JobHandler<object>, options }),
    )
    await boss.start()
    await createQueues({ boss, pool }, definitions, timing)
    if (!works) return
    for (const definition of definitions) {
      workers.set(definition.name, await startWorkers(boss, definition, { timing, log, stopping: stopping.signal }))
    }
    for (const { name, everySeconds } of jobs) {
      if (everySeconds !== undefined) repeats.add(name, everySeconds, () => wake(name))
    }
    repeats.start()
  }

  let drained: Promise<void> | undefined
  /**
   * Starts no more jobs, aborts the signals of running ones and waits up to 10 s for them. Jobs can be enqueued until
   * `stop`.
   */
  function drain(): Promise<void> {
    drained ??= endWork()
    return drained
  }

  async function endWork(): Promise<void> {
    stopping.abort(new Error('the process stops'))
    await repeats.stop()
    const ended = Promise.all([...workers.keys()].map((name) => boss.offWork(name, { wait: true })))
    const patience = AbortSignal.timeout(timing.drainLimitMs)
    await Promise.race([ended, new Promise((resolve) => patience.addEventListener('abort', resolve))])
  }

  /** Drains and closes; a job that has not ended by then runs again elsewhere. */
  async function stop(): Promise<void> {
    await drain()
    await boss.stop({ graceful: false })
    if (!pool.ended) await pool.end()
  }

  return { send, sendAll, wake, findWithoutJob, start, drain, stop }
}

/** Enqueues jobs. Calls `wake` for a job outside a transaction; after a transaction the caller does. */
function createSender(boss: PgBoss, wake: (name: string) => void) {
  /** Enqueues a job; false when one of the same key waits or runs already, as its name's `oncePerKey` says. */
  async function send(
    name: string,
    data: object,
    { singletonKey, priority, startAfter, trx }: SendOptions,
  ): Promise<boolean> {
    const id = await boss.send(name, data, {
      singletonKey,
      ...(priority !== undefined && { priority }),
      ...(startAfter !== undefined && { startAfter }),
      ...(trx && { db: inTransaction(trx) }),
    })
    if (!trx) wake(name)
    return id !== null
  }

  /** Enqueues jobs in one statement and skips those whose key has one already, as `send` does. See `SendOptions`. */
  async function sendAll<T extends object>(
    name: string,
    wanted: readonly (Pick<SendOptions, 'singletonKey' | 'priority'> & { data: T })[],
    trx?: Transaction<Tables>,
  ): Promise<void> {
    if (wanted.length === 0) return
    // In the order of their keys: processes that enqueue the same keys in different orders could wait for each other.
    const ordered = wanted.toSorted((a, b) => compareText(a.singletonKey, b.singletonKey))
    await boss.insert(name, ordered, trx && { db: inTransaction(trx) })
    if (!trx) wake(name)
  }

  return { send, sendAll }
}

function createBoss(pool: pg.Pool, { supervise, timing, log }: { supervise: boolean; timing: Timing; log: Logger }) {
  const options: ConstructorOptions = {
    schema: SCHEMA,
    db: { executeSql: async (text, values) => pool.query(text, values) },
    supervise,
    schedule: false,
    superviseIntervalSeconds: timing.superviseSeconds,
    monitorIntervalSeconds: timing.superviseSeconds,
    // Workers skip keys that this cache lists as running: a stale list delays the next job of a key by up to this
    // interval.
    queueCacheIntervalSeconds: QUEUE_CACHE_SECONDS,
  }
  const boss = new PgBoss(options)
  // pg-boss reports statements that fail, as while the database is down; their caller tries again. Errors of its
  // workers arrive as copies that are not instances of `Error`.
  boss.on('error', (err) => {
    const error = err instanceof Error ? err : Object.assign(new Error(), err)
    log.warn({ err: error }, 'a job queue statement failed and is repeated; jobs may start late: check the database')
  })
  boss.on('warning', ({ message, data }) => log.warn({ data }, message))
  return boss
}

const limitOf = ({ limitSeconds = 900 }: JobOptions): number => limitSeconds

/** Creates the queues that are missing and updates the settings of the others. */
async function createQueues(
  { boss, pool }: { boss: PgBoss; pool: pg.Pool },
  definitions: Definition[],
  timing: Timing,
): Promise<void> {
  const present = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]))
  for (const { name, options } of definitions) {
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
    // The signal aborts at the limit. The queue itself fails a run only when its handler does not obey.
    expireInSeconds: limitOf(options) + GRACE_SECONDS,
    heartbeatSeconds: timing.heartbeatSeconds,
    deleteAfterSeconds: KEPT_SECONDS,
  }
}

type QueueSettings = ReturnType<typeof queueSettings>

const isOutdated = (queue: Partial<QueueSettings>, wanted: QueueSettings): boolean =>
  Object.entries(wanted).some(([option, value]) => queue[option as keyof QueueSettings] !== value)

/** Starts one worker per concurrent job; returns their ids, by which `wake` notifies them. */
async function startWorkers(
  boss: PgBoss,
  definition: Definition,
  { timing, log, stopping }: { timing: Timing; log: Logger; stopping: AbortSignal },
): Promise<string[]> {
  const { name, handler, options } = definition
  const run = async (job: JobWithMetadata<object>): Promise<void> => {
    const attempt = job.retryCount + 1
    const limit = AbortSignal.timeout(limitOf(options) * 1_000)
    try {
      await handler(AbortSignal.any([job.signal, stopping, limit]), job.data, { attempt })
    } catch (err) {
      const isLast = job.retryCount >= job.retryLimit
      if (stopping.aborted && job.retryLimit === 0) {
        // Not a failure: a schedule repeats a job that has no retries.
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
      // There may be more: the next worker looks now, this one again when it is done.
      const next = ids[index + 1]
      if (next !== undefined) boss.notifyWorker(next)
      await run(job).finally(() => boss.notifyWorker(ids[index] ?? ''))
    }
    const pollingIntervalSeconds = index === 0 ? timing.pollSeconds : IDLE_POLL_SECONDS
    ids.push(await boss.work(name, { pollingIntervalSeconds, includeMetadata: true }, work))
  }
  return ids
}

function inTransaction(trx: Transaction<Tables>): NonNullable<ConstructorOptions['db']> {
  return { executeSql: (text, values) => trx.executeQuery(CompiledQuery.raw(text, values ?? [])) as never }
}
