import type pg from 'pg'
import { transact } from '../db/database.ts'

/** pg-boss policies per key. `exclusive`: one job waits or runs. `stately`: one waits and one runs. */
export type KeyPolicy = 'exclusive' | 'stately'

/** For `exclusive`, keeps one open job per key: the furthest state, then the oldest. */
export function changePolicy(pool: pg.Pool, name: string, policy: KeyPolicy): Promise<void> {
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
