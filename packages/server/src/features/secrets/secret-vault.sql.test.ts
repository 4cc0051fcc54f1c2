import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { suiteDatabase } from '../../../test/database.ts'
import { runAdmin } from '../../bin/run-admin.ts'
import { readConfig } from '../../config/config.ts'
import { createContext } from '../../context.ts'
import { createLogger } from '../../lib/logger.ts'
import { secret } from '../../lib/secret.ts'
import { StartupError } from '../../lib/startup-error.ts'
import { createAccount } from '../accounts/accounts.ts'
import { createMasterKeys } from './master-keys.ts'
import { openVault, SecretUnreadable, type SecretVault } from './secret-vault.ts'

const masterKey = '7f'.repeat(32)
const CANARY = 'exchange-key-canary'
const purpose = 'exchange'

const database = await suiteDatabase('vault')
let accountId: string
let otherAccountId: string
let vault: SecretVault

const account = { name: 'Ada', plan: 'FREE', entitlements: [], credits: 0 } as const
accountId = (await createAccount(database.db, account)).id
otherAccountId = (await createAccount(database.db, account)).id
// Tampering does not obey the service's own constraints.
await database.pool.query('alter table secret drop constraint secret_account_id_fkey')
beforeEach(async () => {
  await database.pool.query('truncate secret cascade')
  vault = await openedWith(masterKey)
})

const openedWith = (...keys: string[]) =>
  openVault(database.db, createMasterKeys({ configured: keys.map(secret), dataDir: '/nowhere' }))
const put = (text = CANARY, as = accountId) => vault.put(database.db, { accountId: as, purpose, text })
const open = (id: string, of: { accountId?: string; purpose?: string } = {}) =>
  vault.open(database.db, { id, accountId, purpose, ...of })
const unreadable = (promise: Promise<unknown>) => expect(promise).rejects.toThrow(SecretUnreadable)

test('what is stored is given to its account, and does not print', async () => {
  const id = await put()
  const opened = await open(id)
  expect(opened.reveal()).toBe(CANARY)
  expect(`${opened} ${JSON.stringify(opened)} ${inspect(opened)}`).not.toContain(CANARY)
  await vault.remove(database.db, id)
  await unreadable(open(id))
})

test('it is stored and removed with the transaction that does so', async () => {
  const undone = new Error('undone')
  const ids: string[] = []
  const attempt = database.db.transaction().execute(async (trx) => {
    ids.push(await vault.put(trx, { accountId, purpose, text: CANARY }))
    expect((await vault.open(trx, { id: String(ids[0]), accountId, purpose })).reveal()).toBe(CANARY)
    throw undone
  })
  await expect(attempt).rejects.toBe(undone)
  await unreadable(open(String(ids[0])))
})

test('no column holds the text, nor does anything that is said about it', async () => {
  const id = await put()
  const { rows } = await database.pool.query<Record<string, string>>(
    `select s::text as row, encode(ciphertext, 'escape') as escaped, encode(ciphertext, 'base64') as base64 from secret s`,
  )
  const dump = JSON.stringify(rows)
  const bytes = Buffer.from(CANARY)
  for (const spelling of [CANARY, bytes.toString('hex'), bytes.toString('base64').slice(0, 20)]) {
    expect(dump).not.toContain(spelling)
  }
  expect(dump).not.toContain(masterKey)
  const errors = [
    await open(id, { accountId: otherAccountId }).catch((error: unknown) => error),
    await database.pool
      .query('update secret set ciphertext = ciphertext || $1::bytea', ['x'])
      .then(() => open(id))
      .catch((error: unknown) => error),
  ]
  for (const error of errors) {
    expect(error).toBeInstanceOf(SecretUnreadable)
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain(CANARY)
  }
})

test('each byte of what is stored counts', async () => {
  const id = await put()
  const lengths = await database.pool.query<Record<string, number>>(
    `select octet_length(key_id) as key_id, octet_length(key_nonce) as key_nonce, octet_length(wrapped_key) as wrapped_key,
       octet_length(nonce) as nonce, octet_length(ciphertext) as ciphertext from secret`,
  )
  const columns = Object.entries(lengths.rows[0] ?? {})
  expect(columns.map(([, length]) => length)).toEqual([16, 12, 48, 12, CANARY.length + 16])
  const flips = columns.flatMap(([column, length]) =>
    Array.from(
      { length },
      (_, i) => `${column} = set_byte(${column}, ${i}, get_byte(${column}, ${i}) # ${1 << (i % 8)})`,
    ),
  )
  for (let byte = 0; byte < 8; byte += 1) flips.push(`account_id = account_id # (1::bigint << ${8 * byte})`)
  for (let i = 0; i < purpose.length; i += 1) {
    flips.push(`purpose = overlay(purpose placing chr(ascii(substr(purpose, ${i + 1}, 1)) # 1) from ${i + 1} for 1)`)
  }
  for (let digit = 0; digit < 32; digit += 1) {
    const place = digit + 1
    const plain = `replace(id::text, '-', '')`
    const flipped = `translate(substr(${plain}, ${place}, 1), '0123456789abcdef', '1032547698badcfe')`
    flips.push(`id = overlay(${plain} placing ${flipped} from ${place} for 1)::uuid`)
  }
  let flipped = 0
  for (const flip of flips) {
    const client = await database.pool.connect()
    const before = await client.query('select * from secret')
    const { rowCount } = await client.query(`update secret set ${flip}`)
    client.release()
    flipped += rowCount ?? 0
    await unreadable(open(id))
    await restore(before.rows[0])
  }
  expect(flipped).toBe(16 + 12 + 48 + 12 + CANARY.length + 16 + 8 + purpose.length + 32)
  expect((await open(id)).reveal()).toBe(CANARY)
})

/** Restores the only row, including its ID. */
async function restore(row: Record<string, unknown>): Promise<void> {
  const names = Object.keys(row)
  const values = names.map((name) => row[name])
  const set = names.map((name, i) => `${name} = $${i + 1}`).join(', ')
  await database.pool.query(`update secret set ${set}`, values)
}

describe('a row that was moved does not open for its new owner:', () => {
  test('another account', async () => {
    const id = await put()
    await database.pool.query('update secret set account_id = $1', [otherAccountId])
    await unreadable(open(id))
    await unreadable(open(id, { accountId: otherAccountId }))
  })

  test('another purpose', async () => {
    const id = await put()
    await database.pool.query(`update secret set purpose = 'webhook'`)
    await unreadable(open(id))
    await unreadable(open(id, { purpose: 'webhook' }))
  })

  test.each([
    ['another row of the account', 'key_id, key_nonce, wrapped_key, nonce, ciphertext'],
    ['its text alone', 'nonce, ciphertext'],
    ['its key alone', 'key_id, key_nonce, wrapped_key'],
  ])('%s', async (_, columns) => {
    const [mine, theirs] = [await put('mine'), await put('theirs')]
    await database.pool.query(
      `update secret set (${columns}) = (select ${columns} from secret where id = $1) where id = $2`,
      [mine, theirs],
    )
    await unreadable(open(theirs))
    expect((await open(mine)).reveal()).toBe('mine')
  })

  test("another owner's id is not distinguished from a missing one", async () => {
    const [mine, none] = [await put(), '00000000-0000-4000-8000-000000000000']
    const said = async (id: string) =>
      open(id, { accountId: otherAccountId }).catch((error: Error) => error.message.replace(id, 'ID'))
    expect(await said(mine)).toBe(await said(none))
  })
})

describe('without the master key', () => {
  const sentence =
    'The master key of secrets in the database is not in COFFER_MASTER_KEY: add it to the list, after the first.'
  const wrong = '80'.repeat(32)

  test('a secret is unreadable, also in a vault that was opened before', async () => {
    const early = await openedWith(wrong)
    const id = await put()
    const opened = early.open(database.db, { id, accountId, purpose })
    await expect(opened).rejects.toThrow(
      `The master key of the secret ${id} is not in COFFER_MASTER_KEY: add it to the list, after the first.`,
    )
    await unreadable(opened)
  })

  test('the vault does not open, but with it at any place', async () => {
    const id = await put()
    await expect(openedWith(wrong)).rejects.toThrow(new StartupError(sentence))
    const both = await openedWith(wrong, masterKey)
    expect((await both.open(database.db, { id, accountId, purpose })).reveal()).toBe(CANARY)
  })

  test('the service does not start', async () => {
    await put()
    const env = { DATABASE_URL: database.url, COFFER_MASTER_KEY: wrong, COFFER_CHAINS: 'ethereum' }
    const start = createContext(
      readConfig(env, () => ''),
      { logger: createLogger({ level: 'silent' }) },
    )
    await expect(start).rejects.toThrow(new StartupError(sentence))
  })

  test('a file that is damaged while the service runs makes unreadable what needs it', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'coffer-vault-'))
    const fromFile = () => openVault(database.db, createMasterKeys({ configured: [], dataDir }))
    const early = await fromFile()
    const id = await (await fromFile()).put(database.db, { accountId, purpose, text: CANARY })
    writeFileSync(join(dataDir, 'master.key'), 'hunter2')
    const opened = early.open(database.db, { id, accountId, purpose })
    await unreadable(opened)
    await expect(opened).rejects.toThrow(/^The master key file \S+ is damaged/)
    await expect(fromFile()).rejects.toThrow(StartupError)
    rmSync(dataDir, { recursive: true })
  })

  test('the service and its commands do not start without the file, and no other file is made', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'coffer-vault-'))
    const fromFile = createMasterKeys({ configured: [], dataDir })
    const early = await openVault(database.db, fromFile)
    await put()
    const file = join(dataDir, 'master.key')
    const missing = `The master key of secrets in the database is not in ${file}: restore that file, or set COFFER_MASTER_KEY.`
    await expect(early.put(database.db, { accountId, purpose, text: 'late' })).rejects.toThrow(
      new StartupError(missing),
    )
    let stderr = ''
    const code = await runAdmin(['secrets', 'rotate'], {
      env: { DATABASE_URL: database.url, COFFER_DATA_DIR: dataDir },
      stdout: () => undefined,
      stderr: (text) => {
        stderr += text
      },
    })
    expect({ code, stderr }).toEqual({ code: 1, stderr: `${missing}\n` })
    rmSync(dataDir, { recursive: true })
  })
})
