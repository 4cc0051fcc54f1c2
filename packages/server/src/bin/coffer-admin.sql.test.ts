import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { endpoints } from '@coffer/contract'
import { describe, expect, test } from 'vitest'
import { suiteDatabase, testDatabase } from '../../test/database.ts'
import { operator } from '../../test/operator.ts'
import { sized } from '../../test/sized.ts'
import type { Env } from '../config/env.ts'
import { commands } from './commands.ts'

const program = fileURLToPath(new URL('coffer-admin.ts', import.meta.url))
const database = await suiteDatabase('admin')

const { run, admin } = operator({}, database)
const runIn = (env: Env, args: readonly string[]) => operator({ DATABASE_URL: database.url, ...env }).run(args)

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)

test('an account is made, changed and listed', async () => {
  const made = await admin('account', 'create', '--name', 'Ada')
  expect(made).toEqual({
    id: expect.stringMatching(/^\d+$/),
    ...{ name: 'Ada', plan: 'FREE', entitlements: ['portfolio'], credits: 1_000 },
    mayCall: expect.arrayContaining(['GET /v1/credits', 'GET /v1/portfolio', 'POST /v1/sync-transactions']),
    next: `coffer-admin key create --account ${made.id} --name mine`,
  })
  expect(made.mayCall.filter((call: string) => /token-overview|virtual-users|beacon/.test(call))).toEqual([])
  const few = await admin('account', 'create', '--name', 'Eve', '--entitlements', '', '--credits', '0')
  expect(few.credits).toBe(0)
  expect(few.mayCall.filter((call: string) => !/\/(webhooks|watches)/.test(call))).toEqual([
    ...['GET /v1/status', 'GET /v1/chains', 'GET /v1/chains/:chainKey/protocols', 'GET /v1/credits'],
  ])
  const all = ['--plan', 'PRO', '--entitlements', 'beacon,portfolio', '--credits', '0']
  const full = await admin('account', 'create', '--name', 'Bob', ...all)
  expect(full).toMatchObject({ plan: 'PRO', entitlements: ['portfolio', 'beacon'], credits: 0 })
  expect(full.mayCall).toHaveLength(Object.keys(endpoints).length)
  const changes = ['--plan', 'LITE', '--entitlements', '', '--bundle-quota', '9', '--rate-limit-portfolio', '1000']
  const changed = {
    id: full.id,
    name: 'Bob',
    plan: 'LITE',
    costMethod: 'AVG',
    entitlements: [],
    quotas: { addressBook: null, bundles: 9, bundleSize: null },
    rateLimits: { default: null, portfolio: 1000, beacon: null },
    credits: 0,
    createdAt: iso,
  }
  expect(await admin('account', 'update', full.id, ...changes)).toEqual(changed)
  const reset = await admin('account', 'update', full.id, '--bundle-quota', 'default')
  expect(reset).toEqual({ ...changed, quotas: { addressBook: null, bundles: null, bundleSize: null } })
  const list = await admin('account', 'list')
  expect(list.map(({ id }: { id: string }) => id)).toEqual([made.id, full.id, few.id])
})

test('keys are made, listed and revoked', async () => {
  const { id: account } = await admin('account', 'create', '--name', 'Cleo')
  const made = await admin('key', 'create', '--account', account, '--name', 'laptop')
  expect(made).toEqual({
    id: expect.stringMatching(/^\d+$/),
    accountId: account,
    name: 'laptop',
    key: expect.stringMatching(/^coffer_[0-9A-Za-z]{49}$/),
  })
  const shown = { ...made, key: `coffer_…${made.key.slice(-4)}`, createdAt: iso, lastUsedAt: null, revokedAt: null }
  expect(await admin('key', 'list', '--account', account)).toEqual([shown])
  expect(await admin('key', 'revoke', made.id)).toEqual({ ...shown, revokedAt: iso })
  expect(await admin('key', 'list')).toContainEqual({ ...shown, revokedAt: iso })
})

test('credits are granted once a reference and listed, and the ledger is verified', async () => {
  const { id: account } = await admin('account', 'create', '--name', 'Dan', '--credits', '0')
  const grant = ['credits', 'grant', '--account', account, '--amount', '70', '--reference', 'invoice 7']
  const granted = { accountId: account, amount: 70, reference: 'invoice 7', granted: true, credits: 70 }
  expect(await admin('credits', 'ledger', '--account', account)).toEqual([])
  expect(await admin(...grant)).toEqual(granted)
  expect(await admin(...grant)).toEqual({ ...granted, granted: false })
  await admin('credits', 'grant', '--account', account, '--amount', '5')
  const line = { id: expect.stringMatching(/^\d+$/), at: iso, kind: 'grant', from: 'issued', to: 'available' }
  expect(await admin('credits', 'ledger', '--account', account)).toEqual([
    { ...line, amount: 70, chargeId: null, reference: `grant:${account}:invoice 7` },
    expect.objectContaining({ amount: 5 }),
  ])
  expect(await admin('credits', 'verify')).toEqual({ violations: [] })
  await database.pool.query('update credit_account set available = available + 1 where account_id = $1', [account])
  const broken = await run(['credits', 'verify'])
  expect(broken.code).toBe(1)
  expect(JSON.parse(broken.stdout).violations).toContainEqual({
    invariant: 'available is the sum of its lines',
    subject: `account ${account}`,
    detail: '76 but lines say 75',
  })
  await database.pool.query('update credit_account set available = available - 1 where account_id = $1', [account])
  const other = await run(grant.with(5, '71'))
  expect(other).toEqual({ code: 1, stdout: '', stderr: 'The reference invoice 7 was used for another amount.\n' })
})

describe('a refusal is one sentence and exit code 1:', () => {
  test.each([
    ['constructor', 'There is no command "constructor": coffer-admin --help lists them.'],
    ['account destroy', 'There is no command "account destroy": coffer-admin --help lists them.'],
    ['account create', '--name is needed.'],
    ['account create --name N --plan GOLD', '--plan must be one of FREE, LITE, PRO.'],
    [
      'account create --name N --entitlements all',
      '--entitlements must be a comma list of portfolio, beacon, or empty.',
    ],
    ['account create --name N --credits 1.5', '--credits must be a whole number from 0.'],
    ['account create --name N --credits=-1', '--credits must be a whole number from 0.'],
    ['account create --name N --colour red', "Unknown option '--colour'."],
    ['account create --name N extra', 'Unexpected argument extra.'],
    ['account update', 'The ID is needed.'],
    ['account update 999999', 'There is no account 999999.'],
    ['account update 1 --rate-limit-beacon 0', '--rate-limit-beacon must be a whole number from 1, or default.'],
    ['key create --account 999999 --name N', 'There is no account 999999.'],
    ['key create --account 0x1 --name N', '--account is not an id.'],
    ['key revoke 999999', 'There is no key 999999.'],
    ['credits grant --account 1 --amount 0', '--amount must be a whole number from 1.'],
    ['credits grant --account 1 --amount -5', '--amount must be a whole number from 1.'],
    ['account create --name a\u0001b', '--name has a control character.'],
    ['account create --name a\u202eb', '--name has a control character.'],
    ['credits grant --account 1', '--amount is needed.'],
    ['credits ledger --account 999999', 'There is no account 999999.'],
  ])('%s', async (line, sentence) => {
    expect(await run(line.split(' '))).toEqual({ code: 1, stdout: '', stderr: `${sentence}\n` })
  })

  test('without a pepper that was used before', async () => {
    const other = await testDatabase('admin_pepper')
    const env = { DATABASE_URL: other.url, COFFER_KEY_PEPPER: 'thirty-two characters of a pepper' }
    const made = await runIn(env, ['account', 'create', '--name', 'N'])
    const create = ['key', 'create', '--account', JSON.parse(made.stdout).id, '--name', 'N']
    expect((await runIn(env, create)).code).toBe(0)
    const { code, stderr } = await runIn({ DATABASE_URL: other.url }, create)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^COFFER_KEY_PEPPER [^\n]+\n$/) })
    const short = 'COFFER_KEY_PEPPER has an entry of less than 32 characters.\n'
    expect(await runIn({ COFFER_KEY_PEPPER: 'short' }, ['key', 'list'])).toEqual({ code: 1, stdout: '', stderr: short })
    await other.drop()
  })

  test('without a database', async () => {
    const stderr = 'No PostgreSQL listens at 127.0.0.1:1: start it, or correct DATABASE_URL.\n'
    const env = { DATABASE_URL: 'postgres://127.0.0.1:1/none' }
    expect(await runIn(env, ['account', 'list'])).toEqual({ code: 1, stdout: '', stderr })
  })
})

const runs = [
  [['key', 'revoke', '9'], { code: 1, stdout: '', stderr: 'There is no key 9.\n' }],
  [['credits', 'verify'], { code: 0, stdout: '{\n  "violations": []\n}\n', stderr: '' }],
] as const
// Each run loads all modules.
test.each(runs.slice(0, sized({ small: 1, deep: 2 })))(
  'the program prints what %j says and exits with its code',
  async (args, expected) => {
    const said = await new Promise((resolve) => {
      execFile(process.execPath, [program, ...args], { env: { DATABASE_URL: database.url } }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      )
    })
    expect(said).toEqual(expected)
  },
)

test('--help lists every command with what it does', async () => {
  const { code, stdout } = await run(['--help'])
  expect(code).toBe(0)
  const lines = stdout.split('\n').filter((line) => line.startsWith('  coffer-admin '))
  expect(lines).toHaveLength(47)
  for (const line of lines) expect(line).toMatch(/^ {2}coffer-admin [a-z-]+( [a-z-]+){0,2} +[A-Z].+\.$/)
})

test('--help of one command says how it is called, and shows a call that is well-formed', async () => {
  const { code, stdout } = await run(['credits', 'grant', '--help'])
  expect(code).toBe(0)
  expect(stdout).toContain('Usage:\n  coffer-admin credits grant --account ID --amount N [--reference REFERENCE]\n')
  for (const [name, { example, prepare }] of Object.entries(commands)) {
    const words = (example.match(/"[^"]+"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))
    const whole = words.map((word) =>
      word.replace('0x…', `0x${'ab'.repeat(20)}`).replace('virtual:…', '1b4e28ba-2fa1-11d2-883f-0016d3cca427'),
    )
    expect(() => prepare(whole), name).not.toThrow()
  }
  expect(await run(['credits', 'grant', '--account', '2', '--help'])).toMatchObject({ code, stdout })
  const group = await run(['key', '--help'])
  expect(group.stdout.split('\n').filter((line) => line.includes('coffer-admin key '))).toHaveLength(3)
  expect(await run(['keys', '--help'])).toMatchObject({ code: 1, stdout: '' })
})

test('a folder without a database is not made one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-admin-'))
  const env = { DATABASE_URL: undefined, COFFER_DATA_DIR: folder }
  const stderr = `There is no database in ${folder}: start Coffer there once, or set COFFER_DATA_DIR or DATABASE_URL to what it uses.\n`
  expect(await runIn(env, ['account', 'list'])).toEqual({ code: 1, stdout: '', stderr })
  expect(await readdir(folder)).toEqual([])
  await rmdir(folder)
})
