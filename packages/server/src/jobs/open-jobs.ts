import type pg from 'pg'

/** Returns the keys for which no job of this name waits, runs or awaits a retry. */
export async function findKeysWithoutJob<K extends string>(
  pool: pg.Pool,
  name: string,
  keys: readonly K[],
): Promise<K[]> {
  const text = `select key from unnest($2::text[]) as key where not exists (
    select from jobs.job where name = $1 and singleton_key = key and state <= 'active')`
  const { rows } = await pool.query<{ key: K }>(text, [name, keys])
  return rows.map(({ key }) => key)
}
