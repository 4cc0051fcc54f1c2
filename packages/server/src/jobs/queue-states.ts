import { sql } from 'kysely'
import type { Db } from '../db/tables.ts'

/** Times in ISO 8601. Ended jobs are known for a day. */
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

export async function listQueueStates(db: Db): Promise<QueueState[]> {
  const count = (state: string) => sql`(count(*) filter (where state = ${state}))::float8`
  const { rows } = await sql<Row>`
    select queue.name, ${count('created')} as waiting, ${count('retry')} as retrying, ${count('active')} as running,
      ${count('failed')} as failed, ${count('completed')} as done,
      min(start_after) filter (where state in ('created', 'retry') and start_after <= now()) as "oldestDueAt",
      max(completed_on) filter (where state = 'failed') as "lastFailedAt"
    from jobs.queue left join jobs.job on job.name = queue.name
    where queue.name not like '\\_\\_pgboss\\_\\_%'
    group by queue.name order by queue.name`.execute(db)
  return rows.map(({ oldestDueAt, lastFailedAt, ...counts }) => ({
    ...counts,
    oldestDueAt: oldestDueAt?.toISOString() ?? null,
    lastFailedAt: lastFailedAt?.toISOString() ?? null,
  }))
}
