import type pg from 'pg'
import { transact } from '../db/database.ts'

/** How pg-boss keeps jobs of one key apart: `exclusive`, one that waits or runs; `stately`, one that waits and one that runs. */
export type KeyPolicy = 'exclusive' | 'stately'

/**
 * Changes the policy of a queue that an earlier release created, and of its open jobs; pg-boss has no call for it. For
 * `exclusive` it keeps one open job per key: the one in the furthest state, then the oldest.
 */
export function changePolicy(pool: pg.Pool, name: string, policy: KeyPolicy): Promise<void> {
  return transact(pool, async (client) => {
    // Another process must not enqueue under the old policy meanwhile.
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
