import type pg from 'pg'

/** Those of the keys for which no job of the name waits, runs or is to run again. */
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
