import { expect, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { openDatabase } from './database.ts'
import { createWriteCheck } from './unavailable.ts'

const log = () => undefined

/** Result of the check over connections with this database setting. */
async function checkWith(setting?: string): Promise<unknown> {
  const database = await testDatabase('write_check')
  if (setting) await database.pool.query(`alter database ${new URL(database.url).pathname.slice(1)} set ${setting}`)
  const { pool, close } = openDatabase({ connection: database.url, poolMax: 1, log })
  try {
    return await createWriteCheck(pool)().then(
      () => 'writes',
      (error: unknown) => (error as { code?: string; message: string }).code ?? (error as Error).message,
    )
  } finally {
    await close()
    await database.drop()
  }
}

test('a database that writes is ready', async () => {
  expect(await checkWith()).toBe('writes')
})

test('one that is read-only is not', async () => {
  expect(await checkWith('default_transaction_read_only = on')).toBe('the database is read-only')
})

test('one without room for another file is not', async () => {
  // "configuration_limit_exceeded": PostgreSQL refused to write the file.
  expect(await checkWith("temp_file_limit = '32kB'")).toBe('53400')
})

test('after a success only the connection is tried for a while', async () => {
  const asked: string[] = []
  let now = 0
  const query = async (text: string) => {
    asked.push(text.includes('work_mem') ? 'write' : text)
    return [{ rows: [{ read_only: 'off' }] }]
  }
  const check = createWriteCheck({ query } as never, () => now)
  for (now = 0; now <= 6_000; now += 2_000) await check()
  expect(asked).toEqual(['write', 'select 1', 'select 1', 'write'])
})
