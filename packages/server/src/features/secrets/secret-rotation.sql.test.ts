import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { accountWith } from '../../../test/ledger/accounts.ts'
import { operator } from '../../../test/operator.ts'
import { sized } from '../../../test/sized.ts'
import { secret } from '../../lib/secret.ts'
import { createMasterKeys } from './master-keys.ts'
import { rotateSecrets } from './secret-rotation.ts'
import { openVault, type SecretVault } from './secret-vault.ts'

const rotateProgram = fileURLToPath(new URL('../../../test/rotate-secrets.ts', import.meta.url))
const putProgram = fileURLToPath(new URL('../../../test/put-secrets.ts', import.meta.url))
const purpose = 'test'
const SECRETS = 250
const [oldKey, newKey] = ['7f'.repeat(32), '80'.repeat(32)]

let database: Awaited<ReturnType<typeof testDatabase>>
let accountId: string
let dataDir: string

beforeAll(async () => {
  database = await testDatabase('rotation')
  accountId = await accountWith(database.db, 0)
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.pool.query('truncate secret cascade')
  dataDir = mkdtempSync(join(tmpdir(), 'coffer-rotation-'))
  return () => rmSync(dataDir, { recursive: true })
})

const keysOf = (...configured: string[]) => createMasterKeys({ configured: configured.map(secret), dataDir })
const vaultWith = (...configured: string[]) => openVault(database.db, keysOf(...configured))
const linesOfFile = () => readFileSync(join(dataDir, 'master.key'), 'utf8').trim().split('\n')

async function fill(vault: SecretVault, count: number): Promise<Map<string, string>> {
  const texts = Array.from({ length: count }, (_, i) => `text ${i}`)
  const ids = await database.db
    .transaction()
    .execute(async (trx) => Promise.all(texts.map((text) => vault.put(trx, { accountId, purpose, text }))))
  return new Map(ids.map((id, i) => [id, texts[i] ?? '']))
}

async function readAll(vault: SecretVault, ids: Iterable<string>): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const id of ids) texts.set(id, (await vault.open(database.db, { id, accountId, purpose })).reveal())
  return texts
}

/** Number of secrets per master key, largest first. */
async function counts(): Promise<number[]> {
  const { rows } = await database.pool.query<{ n: bigint }>(
    'select count(*) as n from secret group by key_id order by 1',
  )
  return rows.map(({ n }) => Number(n)).reverse()
}

const ROTATE = ['secrets', 'rotate']

async function until(sql: string): Promise<void> {
  while ((await database.pool.query(sql)).rows.length === 0);
}

/** Kills a rotation that waits for a locked row: the batches before it are done. */
async function killHalfWay(configured: readonly string[]): Promise<void> {
  const holder = await database.pool.connect()
  await holder.query('begin')
  // A busy machine takes longer to start the rotation than a transaction may be idle.
  await holder.query('set local idle_in_transaction_session_timeout = 0')
  await holder.query(
    'select 1 from secret where id = (select id from secret order by id offset 150 limit 1) for update',
  )
  const rotation = spawn(process.execPath, [rotateProgram, database.url, dataDir, ...configured], { stdio: 'ignore' })
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await until(waiting)
  const ended = once(rotation, 'close')
  rotation.kill('SIGKILL')
  expect(await ended).toEqual([null, 'SIGKILL'])
  await holder.query('rollback')
  holder.release()
  await until(
    `select 1 where not exists (select from pg_stat_activity where datname = current_database()
       and pid <> pg_backend_pid() and state <> 'idle' and backend_type = 'client backend')`,
  )
}

const places = [
  { name: 'the file', before: [], during: [], after: [] },
  { name: 'COFFER_MASTER_KEY', before: [oldKey], during: [newKey, oldKey], after: [newKey] },
]

describe.each(places)('a rotation of $name', ({ before, during, after }) => {
  const env = () => ({ COFFER_DATA_DIR: dataDir, COFFER_MASTER_KEY: during.join(',') })

  test('killed half-way leaves all readable, and the next one ends it', async () => {
    const texts = await fill(await vaultWith(...before), SECRETS)
    const service = await vaultWith(...(during.length > 0 ? [oldKey, newKey] : []))
    expect(await counts()).toEqual([SECRETS])
    await killHalfWay(during)
    expect(await counts()).toEqual([150, 100])
    if (during.length === 0) expect(linesOfFile()).toHaveLength(2)
    const [first] = during.length === 0 ? linesOfFile() : []
    expect(await readAll(service, texts.keys())).toEqual(texts)
    expect(await readAll(await vaultWith(...during), texts.keys())).toEqual(texts)

    expect(await operator(env(), database).admin(...ROTATE)).toEqual({ rewrapped: 150, unreadable: [] })
    expect(await counts()).toEqual([SECRETS])
    if (during.length === 0) expect(linesOfFile()).toEqual([first])
    expect(await readAll(service, texts.keys())).toEqual(texts)
    expect(await readAll(await vaultWith(...after), texts.keys())).toEqual(texts)
  })

  test('does not disturb those who read and write meanwhile', async () => {
    const texts = await fill(await vaultWith(...before), SECRETS)
    const service = await vaultWith(...(during.length > 0 ? [newKey, oldKey] : []))
    let over = false
    const rotations = Promise.all([1, 2].map(() => rotateSecrets(database.db, keysOf(...during)))).finally(() => {
      over = true
    })
    const written = new Map<string, string>()
    const write = async () => {
      for (let i = 0; !over; i += 1) {
        written.set(await service.put(database.db, { accountId, purpose, text: `late ${i}` }), `late ${i}`)
      }
    }
    const read = async () => {
      while (!over) {
        for (const [id, text] of texts) {
          const vault = await vaultWith(...during)
          expect((await vault.open(database.db, { id, accountId, purpose })).reveal()).toBe(text)
          if (over) break
        }
      }
    }
    await Promise.all([rotations, write(), write(), read()])
    await rotateSecrets(database.db, keysOf(...during))
    expect(written.size).toBeGreaterThan(0)
    const all = new Map([...texts, ...written])
    expect(await readAll(await vaultWith(...after), all.keys())).toEqual(all)
    expect(await counts()).toEqual([all.size])
  })
})

test('a key is not forgotten under a secret that is about to be stored with it', async () => {
  await fill(await vaultWith(), 1)
  const keys = keysOf()
  const lookedUp = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const slow = await openVault(database.db, {
    ...keys,
    async current() {
      const key = await keys.current()
      lookedUp.resolve()
      await goOn.promise
      return key
    },
  })
  const stored = slow.put(database.db, { accountId, purpose, text: 'late' })
  await lookedUp.promise
  let over = false
  const rotation = rotateSecrets(database.db, keysOf()).finally(() => {
    over = true
  })
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while (!over && (await database.pool.query(waiting)).rows.length === 0);
  const waited = !over
  goOn.resolve()
  const id = await stored
  expect(waited).toBe(true)
  expect(await rotation).toEqual({ rewrapped: 2, unreadable: [] })
  expect(linesOfFile()).toHaveLength(1)
  expect(await readAll(await vaultWith(), [id])).toEqual(new Map([[id, 'late']]))
})

test('a secret that was tampered with is named, and keeps the old key until it is gone', async () => {
  const vault = await vaultWith()
  const ids = [...(await fill(vault, 3)).keys()].sort()
  await database.pool.query(
    `update secret set wrapped_key = set_byte(wrapped_key, 0, get_byte(wrapped_key, 0) # 1) where id = $1`,
    [ids[1]],
  )
  for (const rewrapped of [2, 0]) {
    const { code, stdout } = await operator({ COFFER_DATA_DIR: dataDir }, database).run(ROTATE)
    expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 1, rewrapped, unreadable: [ids[1]] })
    expect(linesOfFile()).toHaveLength(2)
  }
  await vault.remove(database.db, String(ids[1]))
  expect(await rotateSecrets(database.db, keysOf())).toEqual({ rewrapped: 0, unreadable: [] })
  expect(linesOfFile()).toHaveLength(1)
})

test('without secrets nothing is made', async () => {
  expect(await rotateSecrets(database.db, keysOf())).toEqual({ rewrapped: 0, unreadable: [] })
  expect(readdirSync(dataDir)).toEqual([])
})

test('processes that need the first master key at once make one', async () => {
  const count = sized({ small: 3, deep: 6 })
  const processes = Array.from({ length: count }, (_, i) => {
    const args = [putProgram, database.url, dataDir, accountId, `text ${i}`]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    return { child, ready: once(child.stdout, 'data'), ended: once(child, 'close').then(() => said) }
  })
  await Promise.all(processes.map(({ ready }) => ready))
  for (const { child } of processes) child.stdin.end()
  const ids = (await Promise.all(processes.map(({ ended }) => ended))).map((said) => said.split('\n')[1] ?? '')
  const texts = await readAll(await vaultWith(), ids)
  expect([...texts.values()]).toEqual(ids.map((_, i) => `text ${i}`))
  expect(await counts()).toEqual([count])
  expect(linesOfFile()).toHaveLength(1)
  expect(readdirSync(dataDir)).toEqual(['master.key'])
})
