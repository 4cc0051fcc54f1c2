import { sql } from 'kysely'
import type { Db } from '../db/tables.ts'

/** Times in ISO 8601. Ended jobs are known for a day. Counts end at 1,000. */
export type QueueState = {
  name: string
  waiting: number
  retrying: number
  running: number
  failed: number
  done: number
  oldestDueAt: string | null
  lastFailedAt: string | null
}

type Row = Omit<QueueState, 'oldestDueAt' | 'lastFailedAt'> & { oldestDueAt: Date | null; lastFailedAt: Date | null }

/** Jobs of a queue and state. */
const MOST_COUNTED = 1_000

export async function listQueueStates(db: Db): Promise<QueueState[]> {
  const count = (state: string) => sql`(select count(*)::float8 from (
    select from jobs.job where job.name = queue.name and state = ${state} order by completed_on limit ${MOST_COUNTED}) as counted)`
  const { rows } = await sql<Row>`
    select queue.name, ${count('created')} as waiting, ${count('retry')} as retrying, ${count('active')} as running,
      ${count('failed')} as failed, ${count('completed')} as done,
      (select start_after from jobs.job where job.name = queue.name and state < 'active' and start_after <= now()
        order by start_after limit 1) as "oldestDueAt",
      (select completed_on from jobs.job where job.name = queue.name and state = 'failed'
        order by completed_on desc limit 1) as "lastFailedAt"
    from jobs.queue where queue.name not like '\\_\\_pgboss\\_\\_%'
    order by queue.name`.execute(db)
  return rows.map(({ oldestDueAt, lastFailedAt, ...counts }) => ({
    ...counts,
    oldestDueAt: oldestDueAt?.toISOString() ?? null,
    lastFailedAt: lastFailedAt?.toISOString() ?? null,
  }))
}
