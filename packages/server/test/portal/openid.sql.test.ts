import { beforeEach, expect, test } from 'vitest'
import { started } from '../started.ts'
import { startIssuer } from './openid-provider.ts'
import { PASSWORD, startPortal } from './portal-service.ts'
import type { PortalAnswer, Visitor } from './visitor.ts'

const BACK = 'https://coffer.example/openid'
const NOT_OPEN = {
  status: 401,
  body: { detail: 'This sign-in was finished, has expired, or began in another browser: start again' },
}
const REFUSED = { status: 401, body: { detail: 'The sign-in at Example was not accepted: start again' } }

let names = 0

const issuer = await started(startIssuer())
issuer.serve(BACK)
const portal = await started(startPortal({ env: issuer.env }))
await portal.setUp('Olga')

beforeEach(async () => {
  await portal.pass('0')
  names += 1
  issuer.become(`ada${names}`)
})

const begin = async (visitor: Visitor, path = '/sign-in/openid', body = {}): Promise<string> => {
  const answer = await visitor.post(path, body)
  expect(answer, answer.text).toMatchObject({ status: 200 })
  return answer.body.url
}
const come = (visitor: Visitor, query: string) => visitor.post('/sign-in/openid-return', { query })

/** The whole flow: to the issuer and back. */
async function go(visitor: Visitor, path?: string, body?: object): Promise<PortalAnswer> {
  return come(visitor, await issuer.visit(await begin(visitor, path, body), BACK))
}

/** A user linked to the issuer's current identity. */
async function linkedUser() {
  const user = await portal.signedInUser(`user ${names}`)
  expect((await go(user, '/user/identities')).body.did).toBe('linked')
  return user
}

const users = async () => (await portal.pool.query<{ count: number }>('select count(*)::int from portal_user')).rows[0]

test('the browser is sent with a challenge, a state and a nonce of its own', async () => {
  const [one, other] = [portal.visit(), portal.visit()]
  const [first, second] = [new URL(await begin(one)), new URL(await begin(other))]
  expect(first.origin).toBe(issuer.url)
  expect(Object.fromEntries(first.searchParams)).toEqual({
    ...{ client_id: 'coffer', response_type: 'code', scope: 'openid profile email', redirect_uri: BACK },
    ...{ code_challenge: expect.stringMatching(/^[\w-]{43}$/), code_challenge_method: 'S256', max_age: '600' },
    ...{ state: expect.stringMatching(/^[\w-]{43}$/), nonce: expect.stringMatching(/^[\w-]{43}$/) },
  })
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(first.searchParams.get(name)).not.toBe(second.searchParams.get(name))
  }
  const { headers } = await one.post('/sign-in/openid')
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-coffer-openid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=300$/),
  ])
})

test('an account that no user has linked signs no user in and makes none, regardless of its e-mail address', async () => {
  await portal.signedInUser(`ada${names}@login.example`)
  const before = await users()
  const answer = await go(portal.visit())
  expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
  expect(answer.body.detail).toContain(`No user of Coffer has linked ada${names}@login.example`)
  expect(answer.headers.getSetCookie()).toEqual([])
  expect(await users()).toEqual(before)
})

test('an account that a user has linked signs it in, until it is unlinked', async () => {
  const user = await linkedUser()
  const visitor = portal.visit()
  const answer = await go(visitor)
  expect(answer).toMatchObject({ status: 200, body: { did: 'signed-in', accountId: null } })
  expect(answer.body.session.user).toMatchObject({ id: user.id, identities: 1 })
  expect((await visitor.get('/session')).body).toEqual(answer.body.session)
  const { body } = await user.get('/user/identities')
  expect(body).toEqual([
    {
      ...{ id: expect.any(String), label: `ada${names}@login.example`, issuer: new URL(issuer.url).host },
      ...{ isUsable: true, createdAt: expect.any(String), lastUsedAt: expect.any(String) },
    },
  ])
  await portal.givePassword(user.id)
  const eve = await portal.signedInUser(`Eve ${names}`)
  expect((await eve.remove(`/user/identities/${body[0].id}`)).status).toBe(404)
  expect((await user.remove(`/user/identities/${body[0].id}`)).status).toBe(200)
  expect((await go(portal.visit())).status).toBe(401)
  const done = await portal.audited()
  expect(done.filter((line) => line.user === `user ${names}`)).toEqual(
    ['linked an account of an issuer', 'signed in', 'unlinked an account of an issuer'].map((action) =>
      expect.objectContaining({ action }),
    ),
  )
})

test("a proof takes the account of the signed-in user, and not another user's", async () => {
  const ada = await linkedUser()
  const eve = await portal.signedInUser(`Eve ${names}`)
  const before = eve.cookie()
  const refused = await go(eve, '/sign-in/openid', { isProof: true })
  expect(refused).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
  expect([eve.cookie(), (await eve.get('/session')).body.user.id]).toEqual([before, eve.id])
  const proved = await go(ada, '/sign-in/openid', { isProof: true })
  expect(proved).toMatchObject({ status: 200, body: { session: { user: { id: ada.id } } } })
  expect((await portal.visit().post('/sign-in/openid', { isProof: true })).status).toBe(401)
})

test("an account is one user's", async () => {
  await linkedUser()
  const eve = await portal.signedInUser(`Eve ${names}`)
  expect(await go(eve, '/user/identities')).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } })
})

test('an invitation is used with an account, once, and leads to what was joined', async () => {
  const account = await portal.newAccount(`firm ${names}`)
  const token = await portal.invite('accountant', account)
  const visitor = portal.visit()
  const query = await issuer.visit(await begin(visitor, '/links/openid', { token, name: `Ann ${names}` }), BACK)
  const answer = await come(visitor, query)
  expect(answer).toMatchObject({ status: 200, body: { did: 'signed-in', accountId: account } })
  expect(answer.body.session).toMatchObject({
    user: { name: `Ann ${names}`, hasPassword: false, passkeys: 0, identities: 1 },
    accounts: [{ id: account, role: 'accountant' }],
  })
  expect((await portal.visit().post('/links/openid', { token, name: 'Bob' })).status).toBe(404)
  expect((await go(portal.visit())).body.session.user.name).toBe(`Ann ${names}`)
})

test('an account that is linked already leaves the invitation as it was', async () => {
  await linkedUser()
  const token = await portal.invite('viewer')
  const before = await users()
  const answer = await go(portal.visit(), '/links/openid', { token, name: `Ann ${names}` })
  expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } })
  expect(await users()).toEqual(before)
  expect((await portal.visit().post('/links/use', { token, name: `Ann ${names}`, password: PASSWORD })).status).toBe(
    201,
  )
})

test('what comes back is good once, in the browser that began, for five minutes', async () => {
  await linkedUser()
  const visitor = portal.visit()
  const query = await issuer.visit(await begin(visitor), BACK)
  const [another, none] = [portal.visit(), portal.visit()]
  await begin(another)
  expect(await come(another, query)).toMatchObject(REFUSED)
  expect(await come(none, query)).toMatchObject(NOT_OPEN)
  const cookie = visitor.flow()
  expect((await come(visitor, query)).status).toBe(200)
  visitor.takeFlow(cookie)
  expect(await come(visitor, query)).toMatchObject(NOT_OPEN)
  const late = portal.visit()
  const toLate = await issuer.visit(await begin(late), BACK)
  await portal.pass('5 minutes 1 second')
  expect(await come(late, toLate)).toMatchObject(NOT_OPEN)
})

test('of one answer that comes many times at once one signs in', async () => {
  await linkedUser()
  const visitor = portal.visit()
  const query = await issuer.visit(await begin(visitor), BACK)
  const answers = await Promise.all(Array.from({ length: 5 }, () => come(visitor, query)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401])
})

test('an account is linked to who began to, as long as it is signed in', async () => {
  const [ada, eve] = [await portal.signedInUser(`Ada ${names}`), await portal.signedInUser(`Eve ${names}`)]
  const query = await issuer.visit(await begin(ada, '/user/identities'), BACK)
  eve.takeFlow(ada.flow())
  expect(await come(eve, query)).toMatchObject(NOT_OPEN)
  expect((await ada.get('/user/identities')).body).toEqual([])
  expect((await eve.get('/user/identities')).body).toEqual([])
})

/** Answer after the browser was redirected with a changed parameter. */
async function tampered(visitor: Visitor, name: string, value: string): Promise<string> {
  const url = new URL(await begin(visitor))
  url.searchParams.set(name, value)
  return issuer.visit(url.href, BACK)
}

test.each([
  ['nonce', 'another-nonce'],
  ['state', 'another-state'],
  ['code_challenge', 'A'.repeat(43)],
])('another %s than the browser was sent with is refused', async (name, value) => {
  await linkedUser()
  const visitor = portal.visit()
  expect(await come(visitor, await tampered(visitor, name, value))).toMatchObject(REFUSED)
})

test.each([
  ['of another issuer', (query: string) => query.replace(/iss=[^&]*/, 'iss=https%3A%2F%2Fevil.example')],
  ['without its issuer', (query: string) => query.replace(/&?iss=[^&]*/, '')],
  ['with another code', (query: string) => query.replace(/code=[^&]*/, 'code=nonsense')],
  ['without a code', (query: string) => query.replace(/code=[^&]*&?/, '')],
  ['that says everything twice', (query: string) => `${query}&${query}`],
  ['that is nonsense', () => '%%%=&&&[]'],
  ['that is empty', () => ''],
])('an answer %s is refused', async (_what, change) => {
  await linkedUser()
  const visitor = portal.visit()
  const query = await issuer.visit(await begin(visitor), BACK)
  expect(await come(visitor, change(query))).toMatchObject(REFUSED)
})

test('a code whose time is over, or that was used, is refused', async () => {
  await linkedUser()
  const visitor = portal.visit()
  const query = await issuer.visit(await begin(visitor), BACK)
  await issuer.expire(new URLSearchParams(query).get('code') ?? '')
  expect(await come(visitor, query)).toMatchObject(REFUSED)
})

test('a user who cancels at the issuer gets a message', async () => {
  const visitor = portal.visit()
  const state = new URL(await begin(visitor)).searchParams.get('state')
  const query = new URLSearchParams({ error: 'access_denied', state: state ?? '', iss: issuer.url }).toString()
  expect(await come(visitor, query)).toMatchObject({
    status: 401,
    body: { detail: 'The sign-in at Example was cancelled' },
  })
})

/** The answer names no URL and no secret. */
function expectNothingRevealed({ text }: PortalAnswer) {
  for (const secret of issuer.secrets) expect(text).not.toContain(secret)
  expect(text).not.toMatch(/https?:|127\.0\.0\.1|ECONN/)
}

test('an issuer that is down or broken is reported as such, and used again when it is back', async () => {
  await linkedUser()
  const down = {
    status: 502,
    body: { code: 'UPSTREAM_UNAVAILABLE', detail: 'Example did not answer: try again later' },
  }
  const visitor = portal.visit()
  const query = await issuer.visit(await begin(visitor), BACK)
  await issuer.goDown()
  const answer = await come(visitor, query)
  await issuer.comeBack()
  expect(answer).toMatchObject(down)
  expectNothingRevealed(answer)
  const again = await issuer.visit(await begin(visitor), BACK)
  issuer.setBroken(true)
  const broken = await come(visitor, again)
  issuer.setBroken(false)
  expect(broken).toMatchObject(down)
  expect((await go(visitor)).status).toBe(200)
})

test('an issuer that was never reached, and one that says to be another', async () => {
  const other = await startPortal({
    env: { ...issuer.env, COFFER_OIDC_ISSUER: issuer.url.replace('127.0.0.1', 'localhost') },
  })
  const wrong = await other.visit().post('/sign-in/openid')
  expect(wrong).toMatchObject({ status: 502, body: { code: 'UPSTREAM_UNAVAILABLE' } })
  expect(wrong.body.detail).toContain('rejects the configuration of this service')
  expectNothingRevealed(wrong)
  await issuer.goDown()
  const answer = await other.visit().post('/sign-in/openid')
  await issuer.comeBack()
  await other.stop()
  expect(answer).toMatchObject({ status: 502, body: { detail: 'Example did not answer: try again later' } })
  expectNothingRevealed(answer)
})

test('with a wrong secret the message names the operator, and reveals nothing', async () => {
  const other = await startPortal({ env: { ...issuer.env, COFFER_OIDC_CLIENT_SECRET: 'another-secret' } })
  const visitor = other.visit()
  const answer = await go(visitor)
  await other.stop()
  expect(answer).toMatchObject({ status: 502, body: { code: 'UPSTREAM_UNAVAILABLE' } })
  expectNothingRevealed(answer)
  expect(answer.text).not.toContain('another-secret')
})

test('an issuer that is set up is a way', async () => {
  expect((await portal.visit().get('/sign-in/ways')).body).toEqual({
    openId: { name: 'Example' },
    needsPublicUrl: null,
  })
})
