import type pg from 'pg'
import type { PgBoss } from 'pg-boss'
import { transact } from '../db/database.ts'
import { LOCKS } from '../db/locks.ts'
import type { Logger } from '../lib/logger.ts'

/** The end of a process must leave no long pause. */
const LOOKS_PER_INTERVAL = 2

/** Every process checks. Returns a function that ends it. */
export function startRepeats(
  boss: PgBoss,
  pool: pg.Pool,
  jobs: readonly { name: string; everySeconds?: number }[],
  { wake, log }: { wake(name: string): void; log: Logger },
): () => Promise<void> {
  let looks: Promise<unknown> = Promise.resolve()

  async function look(name: string, seconds: number): Promise<void> {
    try {
      if (await enqueueIfDue(boss, pool, name, seconds)) wake(name)
    } catch (err) {
      log.warn({ err, job: name }, 'a scheduled job could not be enqueued; the next check tries again')
    }
  }

  const timers = jobs.flatMap(({ name, everySeconds }) => {
    if (everySeconds === undefined) return []
    const next = () => {
      looks = looks.then(() => look(name, everySeconds))
    }
    next()
    return setInterval(next, (everySeconds * 1_000) / LOOKS_PER_INTERVAL).unref()
  })
  return async () => {
    for (const timer of timers) clearInterval(timer)
    await looks
  }
}

/** Due if none was created in the last interval, by the database's clock; jobs from the future do not count. */
function enqueueIfDue(boss: PgBoss, pool: pg.Pool, name: string, seconds: number): Promise<boolean> {
  return transact(pool, async (client) => {
    const db = { executeSql: (text: string, values?: unknown[]) => client.query(text, values) }
    await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [LOCKS.schedule, name])
    const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now')
    const now = rows[0]?.now.getTime() ?? 0
    const made = (await boss.findJobs(name, { key: name, db })).map(({ createdOn }) => createdOn.getTime())
    if (made.some((at) => at <= now && at > now - seconds * 1_000)) return false
    return (await boss.send(name, {}, { singletonKey: name, deleteAfterSeconds: seconds, db })) !== null
  })
}
