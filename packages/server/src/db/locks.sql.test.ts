import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { suiteDatabase } from '../../test/database.ts'
import { LOCKS } from './locks.ts'

const database = await suiteDatabase('locks')

const SOURCE = join(import.meta.dirname, '..')
/** Texts that could be confused: a name that is also a purpose, a chain or a job. */
const TEXTS = ['history', 'native', 'coverage', 'base', '0xaa']

/** Every lock in the form that the code takes, some with several wallets. */
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
    // PostgreSQL lists a lock that is held twice only once.
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

test('every advisory lock has its key from the list', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== join('db', 'locks.ts'),
  )
  const texts = new Map(files.map((file) => [file, readFileSync(join(SOURCE, file), 'utf8')]))
  const taking = [...texts].filter(([, text]) => /pg_\w*advisory/.test(text))
  const listed = taking.filter(
    ([, text]) => text.includes('LOCKS.') && !/pg_\w*advisory\w*\((?!\$1\b|\$\{LOCKS\.)/.test(text),
  )
  expect(taking.length).toBeGreaterThan(0)
  expect(listed.map(([file]) => file)).toEqual(taking.map(([file]) => file))
})
