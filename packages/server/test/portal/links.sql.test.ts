import { randomBytes } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { createLink } from '../../src/features/portal-users/links.ts'
import { digestOfToken } from '../../src/features/portal-users/sessions.ts'
import { sized } from '../sized.ts'
import { started } from '../started.ts'
import { createAuthenticator } from './authenticator.ts'
import { PASSWORD, startPortal } from './portal-service.ts'

const portal = await started(startPortal())

beforeEach(() => portal.clear())

const GONE = { status: 404, body: { code: 'NOT_FOUND', detail: 'This link was used, has expired or does not exist' } }
const users = async () => (await portal.pool.query('select name, is_operator from portal_user order by id')).rows

test('the first start: a link, a user, a session, a key, and a call with it', async () => {
  const browser = portal.visit()
  const token = await portal.context.makeSetupLink()
  expect(token).toMatch(/^[\w-]{22}$/)
  expect((await browser.post('/links/look', { token })).body).toEqual({
    ...{ kind: 'setup', account: null, accountId: null, role: null, user: null, signedInAs: null },
    expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
  })
  const used = await browser.post('/links/use', { token, name: 'Ada', password: PASSWORD })
  const view = {
    user: {
      ...{ id: expect.any(String), name: 'Ada', isOperator: true, hasPassword: true },
      ...{ passkeys: 0, identities: 0, wallets: 0, hasTotp: false },
    },
    accounts: [{ id: '1', name: 'owner', role: 'owner', plan: 'PRO' }],
    provedUntil: expect.any(String),
  }
  expect(used).toMatchObject({ status: 201, body: view })
  const [cookie] = used.headers.getSetCookie()
  expect(cookie).toMatch(/^__Host-coffer=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=2592000$/)
  expect((await browser.get('/session')).body).toEqual(view)
  const made = await browser.post('/accounts/1/keys', { name: 'laptop' })
  expect(made).toMatchObject({ status: 201, body: { name: 'laptop' } })
  const { status } = await portal.get('/v1/credits', { authorization: `Bearer ${made.body.key}` })
  expect(status).toBe(200)
  expect((await portal.audited()).slice(-2).map(({ action, user, address }) => [action, user, address])).toEqual([
    ['used a link: setup', 'Ada', browser.address],
    ['created a key', 'Ada', browser.address],
  ])
})

test('a link is good once, then unknown; so is one that was never made', async () => {
  const token = await portal.context.makeSetupLink()
  const first = { token, name: 'Ada', password: PASSWORD }
  expect((await portal.visit().post('/links/use', first)).status).toBe(201)
  for (const [path, body] of [
    ['/links/use', first],
    ['/links/look', { token }],
    ['/links/passkey-options', { token, name: 'Ada' }],
    ['/links/look', { token: randomBytes(16).toString('base64url') }],
  ] as const) {
    expect(await portal.visit().post(path, body), path).toMatchObject(GONE)
  }
  expect(await portal.context.makeSetupLink()).toBeUndefined()
  expect(await users()).toEqual([{ name: 'Ada', is_operator: true }])
})

test('a link ends after a day', async () => {
  const token = await portal.context.makeSetupLink()
  await portal.pass('23 hours 59 minutes')
  expect((await portal.visit().post('/links/look', { token })).status).toBe(200)
  await portal.pass('24 hours 1 second')
  expect(await portal.visit().post('/links/look', { token })).toMatchObject(GONE)
  expect(await portal.visit().post('/links/use', { token, name: 'Ada', password: PASSWORD })).toMatchObject(GONE)
  expect(await users()).toEqual([])
})

test('a newer set-up link takes the place of the older', async () => {
  const [older, newer] = [await portal.context.makeSetupLink(), await portal.context.makeSetupLink()]
  expect(await portal.visit().post('/links/look', { token: older })).toMatchObject(GONE)
  expect((await portal.visit().post('/links/look', { token: newer })).status).toBe(200)
})

test('of many set-ups at once one makes the owner, whether their links are one or many', async () => {
  const attempted = sized({ small: 20, deep: 100 })
  const many = Array.from({ length: attempted / 2 }, () => randomBytes(16).toString('base64url'))
  await portal.pool.query(
    `insert into portal_link (digest, kind, expires_at) select digest, 'setup', coffer_now() + interval '1 hour'
     from unnest($1::bytea[]) as digest`,
    [many.map(digestOfToken)],
  )
  const [shared = ''] = many
  const attempts = await Promise.all(
    Array.from({ length: attempted }, async (_, index) => {
      const [token = shared, name] = [many[index], `user ${index}`]
      const browser = portal.visit()
      const { body } = await browser.post('/links/passkey-options', { token, name })
      return { browser, body: { token, name, passkey: createAuthenticator(browser.origin).create(body) } }
    }),
  )
  const answers = await Promise.all(attempts.map(({ browser, body }) => browser.post('/links/use', body)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 404)).toHaveLength(attempted - 1)
  expect(await users()).toEqual([{ name: expect.any(String), is_operator: true }])
  expect((await portal.pool.query('select from portal_passkey')).rowCount).toBe(1)
  expect((await portal.pool.query('select from portal_session')).rowCount).toBe(1)
})

test('an invitation gives the role in its account, and no more', async () => {
  await portal.setUp()
  const other = await portal.newAccount('other')
  const [token, browser] = [await portal.invite('accountant', other), portal.visit()]
  expect((await browser.post('/links/look', { token })).body).toMatchObject({
    ...{ kind: 'invitation', account: 'other', role: 'accountant', user: null },
  })
  expect(await browser.post('/links/use', { token, name: 'olga', password: PASSWORD })).toMatchObject({
    ...{ status: 400, body: { code: 'VALIDATION_ERROR', detail: 'name: olga is taken, or looks like a taken name' } },
  })
  const joined = await browser.post('/links/use', { token, name: 'Bob', password: PASSWORD })
  expect(joined).toMatchObject({
    status: 201,
    body: { user: { isOperator: false }, accounts: [{ id: other, name: 'other', role: 'accountant', plan: 'PRO' }] },
  })
  expect((await browser.get(`/accounts/${other}/v1/credits`)).status).toBe(200)
  expect((await browser.get('/accounts/1/v1/credits')).status).toBe(404)
})

test('a recovery lets its own user in again, whatever name comes with it, and ends the other sessions', async () => {
  const [before, after] = [await portal.setUp('Ada'), portal.visit()]
  const { body } = await before.get('/session')
  const { token } = await createLink(portal.db, { kind: 'recovery', userId: body.user.id })
  const renewed = 'another long enough text'
  const used = await after.post('/links/use', { token, name: 'Mallory', password: renewed })
  expect(used).toMatchObject({ status: 201, body: { user: { id: body.user.id, name: 'Ada' } } })
  expect((await before.get('/session')).status).toBe(401)
  const signIn = (password: string) => portal.visit().post('/sign-in/password', { name: 'Ada', password })
  expect([(await signIn(PASSWORD)).status, (await signIn(renewed)).status]).toEqual([401, 200])
})

test('a link gives no way in without a password that is long enough or a passkey', async () => {
  const token = await portal.context.makeSetupLink()
  const ways = [
    {},
    { password: 'eleven char' },
    { password: 'QWERTY123456' },
    { password: 'x'.repeat(257) },
    { passkey: { id: 'x' } },
  ]
  for (const way of ways) {
    const { status, body } = await portal.visit().post('/links/use', { token, name: 'Ada', ...way })
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR'])
  }
  expect(await users()).toEqual([])
  expect((await portal.visit().post('/links/look', { token })).status).toBe(200)
})

test('a new user is refused a name that can be taken for another, and the link stays good', async () => {
  await portal.setUp('Olga')
  const token = await portal.invite('viewer')
  const refused = [
    ...['olga', 'Olga ', ' Olga', 'Оlga', 'O1ga', 'Olga\u202e', '\u200bOlga', 'Olga\u0007', '\u3164', ' '],
    ...['coffer-admin', 'Coffer Admin', 'admin'],
  ]
  for (const name of refused) {
    for (const path of ['/links/passkey-options', '/links/use']) {
      const { status, body } = await portal.visit().post(path, { token, name, password: PASSWORD })
      expect([name, path, status, body.code]).toEqual([name, path, 400, 'VALIDATION_ERROR'])
    }
  }
  expect((await users()).map(({ name }) => name)).toEqual(['Olga'])
  const used = await portal.visit().post('/links/use', { token, name: ' Ｂｏｂ ', password: PASSWORD })
  expect(used).toMatchObject({ status: 201, body: { user: { name: 'Bob' } } })
  for (const name of ['bob', 'Bob ', 'Ｂｏｂ']) {
    expect((await portal.visit().post('/sign-in/password', { name, password: PASSWORD })).status, name).toBe(200)
  }
})

test('two new users at one moment cannot take one name', async () => {
  await portal.setUp('Olga')
  const tokens = [await portal.invite('viewer'), await portal.invite('viewer')]
  const [one, other] = tokens
  const answers = await Promise.all([
    portal.visit().post('/links/use', { token: one, name: 'асе', password: PASSWORD }),
    portal.visit().post('/links/use', { token: other, name: 'ace', password: PASSWORD }),
  ])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400])
  expect(await users()).toHaveLength(2)
})

test('a user whose name is of before the rules signs in with it', async () => {
  const olga = await portal.setUp('Olga')
  await olga.post('/sign-out', {})
  await portal.pool.query('update portal_user set name = $1', ['Olga\u202e '])
  const signIn = (name: string) => portal.visit().post('/sign-in/password', { name, password: PASSWORD })
  expect((await signIn('olga\u202e ')).status).toBe(200)
  expect((await signIn('Olga')).status).toBe(401)
})
