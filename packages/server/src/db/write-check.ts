import type pg from 'pg'

const BELIEVED_MS = 5_000

/** Writes a third of a megabyte to a temporary file: a full disk refuses it like a table page. Takes no lock. */
const WRITE = `
  select set_config('work_mem', '64kB', true);
  select count(*) from generate_series(1, 20000);
  select current_setting('transaction_read_only') as read_only`

export function createWriteCheck(pool: pg.Pool, now: () => number = () => performance.now()): () => Promise<void> {
  let wroteAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (now() - wroteAt < BELIEVED_MS) {
      await pool.query('select 1')
      return
    }
    const results: unknown = await pool.query(WRITE)
    const last = Array.isArray(results) ? (results.at(-1) as pg.QueryResult<{ read_only: string }>) : undefined
    if (last?.rows[0]?.read_only !== 'off') throw new Error('the database is read-only')
    wroteAt = now()
  }
}
