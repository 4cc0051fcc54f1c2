import { CompiledQuery, type Transaction } from 'kysely'
import type pg from 'pg'
import { type ConstructorOptions, type JobWithMetadata, PgBoss } from 'pg-boss'
import { type Connection, openPlainPool } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import { compareText } from '../lib/compare-text.ts'
import type { Logger } from '../lib/logger.ts'
import { changePolicy, type KeyPolicy } from './key-policy.ts'
import { findKeysWithoutJob } from './open-jobs.ts'
import { createRepeats } from './schedule.ts'

/** Where the queue keeps its own tables, beside those of `Tables`. */
const SCHEMA = 'jobs'
/** Few: a worker's connections are busy for a statement, not for a job. */
const POOL_MAX = 4
/** How long a job enqueued by another process may lie before a worker looks, in seconds. */
const POLL_SECONDS = 2
/** How often the other workers of a name look, in seconds: the first wakes the next when there is something to do. */
const IDLE_POLL_SECONDS = 60
/** A worker that has not said for so long that it lives has lost its job, in seconds. */
const HEARTBEAT_SECONDS = 30
/** How often lost jobs are looked for, in seconds. */
const SUPERVISE_SECONDS = 15
/** How long a handler may go on after its signal aborted before the queue gives its job away, in seconds. */
const GRACE_SECONDS = 120
/** How old what a process knows of the queues may be, in seconds. */
const QUEUE_CACHE_SECONDS = 1
/** How long running jobs may still take after `stop`, in ms; they have been told to end. */
const DRAIN_LIMIT_MS = 10_000
/** How long ended jobs can be looked up, in seconds. */
const KEPT_SECONDS = 86_400

/** 1 for the first run of a job. */
type Run = { attempt: number }

/**
 * Does one job. Resolved: the job is done. Rejected: it runs again after a while, until it has been tried often enough.
 * A process that dies leaves its jobs to others, so any job may run again after all its work is done: a handler is
 * idempotent by a natural key of its own. The signal aborts when the process stops, when the run reaches its time limit or
 * when the job was given to another process: the handler then ends soon. It is the first parameter, so that a handler
 * cannot take its data without it.
 */
export type JobHandler<T extends object> = (signal: AbortSignal, data: T, run: Run) => Promise<void>

export type JobOptions = {
  /** Jobs of this name that one process runs at a time. */
  concurrency?: number
  /** How often a job that failed or was lost is run again. 0 is for work that is repeated by a clock. */
  retryLimit?: number
  /** Before the first run again, in seconds; doubles each time up to ten minutes. */
  retryDelaySeconds?: number
  /** Longest that one run may take, in seconds; then its signal aborts, and it fails once the handler has ended. */
  limitSeconds?: number
  /**
   * What a key keeps apart. `until done`: a job whose key another one has that waits or runs is not enqueued.
   * `until begun`: one may wait while one runs; two of one key never run at once.
   */
  oncePerKey?: 'until done' | 'until begun'
}

type SendOptions = {
  /** The job's natural key within its name; see `oncePerKey`. */
  singletonKey: string
  /** Jobs of a higher one are begun first; 0 unless given. */
  priority?: number
  /** Not before then: a moment, or so many seconds from now. */
  startAfter?: Date | number
  /** Enqueued with what this transaction writes, or not at all. Call `wake` after the commit to have it begun at once. */
  trx?: Transaction<Tables>
}

export type Jobs = ReturnType<typeof createJobs>

type Definition = { name: string; handler: JobHandler<object>; options: JobOptions }

type Timing = { pollSeconds: number; heartbeatSeconds: number; superviseSeconds: number; drainLimitMs: number }

const DEFAULT_TIMING: Timing = {
  pollSeconds: POLL_SECONDS,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  superviseSeconds: SUPERVISE_SECONDS,
  drainLimitMs: DRAIN_LIMIT_MS,
}

/**
 * Work that outlives a request and a process: queued in PostgreSQL, done at least once by any process that works. All
 * names are defined before `start`, in processes that only enqueue too; `start` makes the queue's tables where they are
 * missing. A database that goes away is waited for: what was enqueued is there when it comes back.
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
  const definitions = new Map<string, Definition>()
  const workers = new Map<string, string[]>()
  const stopping = new AbortController()
  const repeats = createRepeats({ boss, pool, log })

  /** Says what is done about jobs of a name. */
  function define<T extends object>(name: string, handler: JobHandler<T>, options: JobOptions = {}): void {
    // What comes out of the queue is what `send` put in under this name.
    definitions.set(name, { name, handler: handler as JobHandler<object>, options })
  }

  /** Has this process look for jobs of the name now, if it works. */
  function wake(name: string): void {
    for (const id of workers.get(name) ?? []) boss.notifyWorker(id)
  }

  const { send, sendAll } = createSender(boss, wake)
  const findWithoutJob = <K extends string>(name: string, keys: readonly K[]) => findKeysWithoutJob(pool, name, keys)

  /** Enqueues a job of the name, whose data is `{}`, every so many seconds, once for all processes. */
  function every(name: string, seconds: number): void {
    repeats.add(name, seconds, () => wake(name))
  }

  async function start(): Promise<void> {
    await boss.start()
    await createQueues({ boss, pool }, [...definitions.values()], timing)
    if (!works) return
    for (const definition of definitions.values()) {
      workers.set(definition.name, await startWorkers(boss, definition, { timing, log, stopping: stopping.signal }))
    }
    repeats.start()
  }

  let drained: Promise<void> | undefined
  /** Begins no more jobs, tells those that run to end and waits for them a while. Jobs can be enqueued until `stop`. */
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

  return { define, send, sendAll, wake, findWithoutJob, every, start, drain, stop }
}

/** What enqueues jobs; `wake` has this process look for those that belong to no transaction. */
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

  /** Enqueues jobs in one statement, those left out of whose key another one waits or runs. See `SendOptions`. */
  async function sendAll<T extends object>(
    name: string,
    wanted: readonly (Pick<SendOptions, 'singletonKey' | 'priority'> & { data: T })[],
    trx?: Transaction<Tables>,
  ): Promise<void> {
    if (wanted.length === 0) return
    // In one order: processes that send the same at once would wait for each other's keys.
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
    // Of keys that run, which are passed over: a job whose key did run a minute ago would wait for that minute.
    queueCacheIntervalSeconds: QUEUE_CACHE_SECONDS,
  }
  const boss = new PgBoss(options)
  // Statements fail while the database is away; each of them is tried again by whoever made it. What its workers meet is told
  // as a copy, which is no Error.
  boss.on('error', (err) => {
    const error = err instanceof Error ? err : Object.assign(new Error(), err)
    log.warn({ err: error }, 'the job queue could not do its round')
  })
  boss.on('warning', ({ message, data }) => log.warn({ data }, message))
  return boss
}

const limitOf = ({ limitSeconds = 900 }: JobOptions): number => limitSeconds

/** Queues as this code defines them; those that are there are brought up to date. */
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

/** As many workers as run at a time; their ids, by which they are woken. */
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
        // It has not failed: what is never tried again is repeated after a while.
        log.info({ job: name }, 'a job was cut off by the stop of the process')
        return
      }
      if (isLast) log.error({ err, job: name, attempt }, 'a job failed and is not tried again')
      else log.warn({ err, job: name, attempt }, 'a job failed and is tried again')
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
