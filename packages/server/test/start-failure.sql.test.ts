import { expect, test } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import type { Env } from '../src/config/env.ts'
import { createContext } from '../src/context.ts'
import { createLogger } from '../src/lib/logger.ts'
import { testDatabase } from './database.ts'

const logger = createLogger({ level: 'silent' })
/** No job runs. */
const open = (env: Env) =>
  createContext(
    readConfig({ COFFER_ROLE: 'api', ...env }, () => ''),
    { logger },
  )

test('a start that fails half-way says why, lets go of the database, and the next one works', async () => {
  const { url: DATABASE_URL, pool, drop } = await testDatabase('start_failure')
  const env = { DATABASE_URL, COFFER_KEY_PEPPER: 'thirty-two characters of a pepper' }
  const first = await open(env)
  await first.stop()
  await expect(open({ DATABASE_URL })).rejects.toThrow(/^COFFER_KEY_PEPPER was set when API keys were made here/)
  const others = 'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
  await expect.poll(async () => (await pool.query(others)).rowCount).toBe(0)

  // Fails after everything else has started: the queues are not found.
  await pool.query('alter table jobs.queue rename to hidden')
  await expect(open(env)).rejects.toThrow('relation "jobs.queue" does not exist')
  await expect.poll(async () => (await pool.query(others)).rowCount).toBe(0)
  await pool.query('alter table jobs.hidden rename to queue')
  const last = await open(env)
  await last.stop()
  await drop()
})
