import { type Kysely, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'

/** Times in ISO 8601. Ended jobs are known for a day. */
export type QueueState = {
  name: string
  waiting: number
  retrying: number
  running: number
  failed: number
  done: number
  /** Start of the oldest job that is due. */
  oldestDueAt: string | null
  lastFailedAt: string | null
}

type Row = {
  [K in keyof QueueState]: K extends 'name' ? string : QueueState[K] extends number ? bigint : Date | null
}

export async function listQueueStates(db: Kysely<Tables>): Promise<QueueState[]> {
  const { rows } = await sql<Row>`
    select queue.name, count(*) filter (where state = 'created') as waiting, count(*) filter (where state = 'retry') as retrying,
      count(*) filter (where state = 'active') as running, count(*) filter (where state = 'failed') as failed,
      count(*) filter (where state = 'completed') as done,
      min(start_after) filter (where state in ('created', 'retry') and start_after <= now()) as "oldestDueAt",
      max(completed_on) filter (where state = 'failed') as "lastFailedAt"
    from jobs.queue left join jobs.job on job.name = queue.name
    where queue.name not like '\\_\\_pgboss\\_\\_%'
    group by queue.name order by queue.name`.execute(db)
  return rows.map(({ name, waiting, retrying, running, failed, done, oldestDueAt, lastFailedAt }) => ({
    name,
    waiting: Number(waiting),
    retrying: Number(retrying),
    running: Number(running),
    failed: Number(failed),
    done: Number(done),
    oldestDueAt: oldestDueAt?.toISOString() ?? null,
    lastFailedAt: lastFailedAt?.toISOString() ?? null,
  }))
}
