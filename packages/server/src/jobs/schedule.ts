import type pg from 'pg'
import type { PgBoss } from 'pg-boss'
import { transact } from '../db/database.ts'
import { LOCKS } from '../db/locks.ts'
import type { Logger } from '../lib/logger.ts'

/** The end of a process must leave no long pause. */
const LOOKS_PER_INTERVAL = 2

/**
 * Every process checks. Due if none was created in the last interval, by the database's clock; jobs from the future do
 * not count.
 */
export function createRepeats(boss: PgBoss, pool: pg.Pool, log: Logger) {
  const repeats: { name: string; seconds: number; wake: () => void }[] = []
  const timers: NodeJS.Timeout[] = []
  let looks: Promise<unknown> = Promise.resolve()

  async function look({ name, seconds, wake }: (typeof repeats)[number]): Promise<void> {
    try {
      if (await enqueueIfDue(boss, pool, name, seconds)) wake()
    } catch (err) {
      log.warn({ err, job: name }, 'a scheduled job could not be enqueued; the next check tries again')
    }
  }

  return {
    add(name: string, seconds: number, wake: () => void): void {
      repeats.push({ name, seconds, wake })
    },
    start(): void {
      for (const repeat of repeats) {
        const next = () => {
          looks = looks.then(() => look(repeat))
        }
        timers.push(setInterval(next, (repeat.seconds * 1_000) / LOOKS_PER_INTERVAL).unref())
        next()
      }
    },
    async stop(): Promise<void> {
      for (const timer of timers) clearInterval(timer)
      await looks
    },
  }
}

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
