import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { commandBench, operator } from '../../test/operator.ts'
import { portalUrlFile } from '../config/config.ts'
import { lookAtLink } from '../features/portal-users/links.ts'
import { beginSession, findSession } from '../features/portal-users/sessions.ts'
import { addMember, createUser } from '../features/portal-users/users.ts'

/** No service has used it. */
const dataDir = mkdtempSync(join(tmpdir(), 'coffer-portal-url-'))
afterAll(() => rmSync(dataDir, { recursive: true }))
const { database, account: accountId } = await commandBench('portal_commands')
beforeEach(() => database.pool.query('truncate portal_user, portal_link cascade'))

const shell = (env: Record<string, string> = {}) => operator({ COFFER_DATA_DIR: dataDir, ...env }, database)
const run = (args: readonly string[]) => shell().run(['portal', ...args])
const print = (args: readonly string[], env?: Record<string, string>) => shell(env).admin('portal', ...args)

const refused = (stderr: string) => ({ code: 1, stdout: '', stderr: `${stderr}\n` })
const look = (url: string) => lookAtLink(database.db, url.split('#')[1] ?? '')

test('the first link is a set-up, where the portal is', async () => {
  const link = await print(['link'])
  expect(link).toEqual({
    kind: 'setup',
    url: expect.stringMatching(/^http:\/\/localhost:\d+\/link#[\w-]{22}$/),
    expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
  })
  expect(await look(link.url)).toMatchObject({ kind: 'setup', expiresAt: new Date(link.expiresAt) })
  const elsewhere = await print(['link'], { COFFER_PORT: '9090' })
  expect(elsewhere.url).toMatch(/^http:\/\/localhost:9090\/link#/)
  writeFileSync(portalUrlFile(dataDir), 'http://localhost:28080\n')
  const running = await print(['link'])
  rmSync(portalUrlFile(dataDir))
  expect(running.url).toMatch(/^http:\/\/localhost:28080\/link#/)
  const published = await print(['link'], { COFFER_PUBLIC_URL: 'https://coffer.example' })
  expect(published.url).toMatch(/^https:\/\/coffer\.example\/link#/)
})

test('a user that is locked out gets a link, by its name in any spelling', async () => {
  await createUser(database.db, { name: 'Ada', isOperator: true })
  const { kind, url } = await print(['link', '--user', 'ADA'])
  expect(kind).toBe('recovery')
  expect(await look(url)).toMatchObject({ kind: 'recovery', user: 'Ada', role: null })
  expect(await run(['link', '--user', 'bob'])).toEqual(refused('The portal has no user bob.'))
})

test('a new member is invited', async () => {
  const { kind, url } = await print(['link', '--account', accountId, '--role', 'accountant'])
  expect(kind).toBe('invitation')
  expect(await look(url)).toMatchObject({ kind: 'invitation', account: 'acme', role: 'accountant', user: null })
  const { rows } = await database.pool.query(
    'select user_name, action, detail, account_id::text from audit_event order by id desc limit 1',
  )
  const action = 'made a link: invitation'
  expect(rows).toEqual([{ user_name: 'coffer-admin', action, detail: { role: 'accountant' }, account_id: accountId }])
})

test('invitations are listed and revoked', async () => {
  const { url } = await print(['link', '--account', accountId, '--role', 'viewer'])
  const listed = await print(['invitations', '--account', accountId])
  expect(listed).toEqual([
    {
      ...{ id: expect.any(String), role: 'viewer', by: 'coffer-admin' },
      ...{ createdAt: expect.stringMatching(/Z$/), expiresAt: expect.stringMatching(/Z$/) },
    },
  ])
  const [{ id }] = listed
  const revoke = ['invitations', 'revoke', id, '--account', accountId]
  expect(await print(revoke)).toEqual({ id, account: accountId, revoked: true })
  expect(await run(revoke)).toEqual(refused(`There is no open invitation ${id} to account ${accountId}.`))
  expect(await print(['invitations', '--account', accountId])).toEqual([])
  await expect(look(url)).rejects.toThrow('This link was used, has expired or does not exist')
  expect(await run(['invitations', '--account', '999'])).toEqual(refused('There is no account 999.'))
})

test('what cannot be done is reported in a sentence', async () => {
  await createUser(database.db, { name: 'Ada', isOperator: true })
  for (const [args, sentence] of [
    [[], 'There is a user already: --user NAME lets one in again, --account ID --role R invites another.'],
    [['--account', accountId], '--account and --role go together.'],
    [['--role', 'owner'], '--account and --role go together.'],
    [['--account', accountId, '--role', 'king'], '--role must be one of viewer, accountant, owner.'],
    [['--account', '999', '--role', 'owner'], 'There is no account 999.'],
    [['--user', 'Ada', '--account', accountId, '--role', 'owner'], '--user goes with neither --account nor --role.'],
  ] as const) {
    expect(await run(['link', ...args])).toEqual(refused(sentence))
  }
})

test('users are listed, and signed out everywhere', async () => {
  const { db } = database
  const [ada, bob] = [
    await createUser(db, { name: 'Ada', isOperator: true }),
    await createUser(db, { name: 'Bob', isOperator: false }),
  ]
  await addMember(db, { userId: bob, accountId, role: 'viewer' })
  const from = { address: '10.0.0.1', agent: 'test' }
  const tokens = await Promise.all([bob, bob, ada].map(async (user) => (await beginSession(db, user, from)).token))
  const means = { hasPassword: false, passkeys: 0, wallets: 0, identities: 0, hasTotp: false }
  const listed = (sessions: number) => [
    { id: ada, name: 'Ada', isOperator: true, ...means, roles: [], sessions: 1 },
    { id: bob, name: 'Bob', isOperator: false, ...means, roles: [{ account: accountId, role: 'viewer' }], sessions },
  ]
  expect(await print(['users'])).toEqual(listed(2))
  expect(await print(['sessions', 'end', '--user', 'bob'])).toEqual({ user: 'Bob', ended: 2 })
  expect(await print(['users'])).toEqual(listed(0))
  const found = await Promise.all(tokens.map((token) => findSession(db, token, undefined)))
  expect(found.map((session) => session !== undefined)).toEqual([false, false, true])
  expect(await run(['sessions', 'end', '--user', 'eve'])).toEqual(refused('The portal has no user eve.'))
})
