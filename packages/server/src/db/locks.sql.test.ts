import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { LOCKS } from './locks.ts'

const database = await testDatabase('locks')
afterAll(() => database.drop())

const SOURCE = join(import.meta.dirname, '..')
/** What could be taken for one another: a name that is also a purpose, a chain or a job. */
const TEXTS = ['history', 'native', 'coverage', 'base', '0xaa']

/** Every lock, as the code takes it, some of them of several wallets. */
const keys: { name: string; key: string; values: readonly unknown[] }[] = Object.entries(LOCKS).flatMap(
  ([name, lock]) => {
    if (name === 'schedule') {
      return TEXTS.map((job) => ({ name: `schedule ${job}`, key: '$1, hashtext($2)', values: [lock, job] }))
    }
    if (typeof lock !== 'function') return [{ name, key: '$1', values: [lock] }]
    const texts = lock.length === 1 ? TEXTS.map((wallet) => [wallet, '', ''] as const) : triples()
    return texts.map(([first, chain, wallet]) => {
      const text = lock(first, chain, wallet)
      return { name: `${name}: ${text}`, key: 'hashtextextended($1, 0)', values: [text] }
    })
  },
)

function triples(): (readonly [string, string, string])[] {
  return TEXTS.flatMap((purpose) => TEXTS.flatMap((chain) => TEXTS.map((wallet) => [purpose, chain, wallet] as const)))
}

test('no two locks share a key: one session holds them all, and each keeps another session out', async () => {
  const [holder, other] = [await database.pool.connect(), await database.pool.connect()]
  try {
    for (const { key, values } of keys) await holder.query(`select pg_advisory_lock(${key})`, [...values])
    const { rows } = await holder.query<{ held: number }>(
      `select count(*)::integer as held from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`,
    )
    // PostgreSQL lists a lock that is held twice once.
    expect(rows).toEqual([{ held: keys.length }])
    for (const { name, key, values } of keys) {
      const { rows: found } = await other.query(`select pg_try_advisory_lock(${key}) as got`, [...values])
      expect([name, found[0]?.got]).toEqual([name, false])
      await holder.query(`select pg_advisory_unlock(${key})`, [...values])
      const { rows: free } = await other.query(`select pg_try_advisory_lock(${key}) as got`, [...values])
      expect([name, free[0]?.got]).toEqual([name, true])
    }
  } finally {
    holder.release(true)
    other.release(true)
  }
})

test('who takes an advisory lock has its key from the list', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
  const taking = files.filter((file) => /pg_\w*advisory_\w*lock/.test(readFileSync(join(SOURCE, file), 'utf8')))
  expect(taking.sort()).toEqual([
    'db/embedded-postgres.ts',
    'db/locks.ts',
    'db/migrate.ts',
    'features/rate-limit/process-claim.ts',
    'jobs/schedule.ts',
  ])
  for (const file of taking.filter((name) => name !== 'db/locks.ts')) {
    const statements = readFileSync(join(SOURCE, file), 'utf8').match(/pg_\w*advisory_\w*lock\w*\([^']*'.*/g) ?? []
    for (const statement of statements) expect([file, statement]).toEqual([file, expect.stringMatching(/\(\$1[,)]/)])
    expect([file, readFileSync(join(SOURCE, file), 'utf8')]).toEqual([file, expect.stringContaining('LOCKS.')])
  }
})
