import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeEach, expect, test } from 'vitest'
import { started } from '../started.ts'
import { everyEndpoint } from './every-endpoint.ts'
import { PASSWORD, startPortal, type TestPortal } from './portal-service.ts'
import type { Visitor } from './visitor.ts'

const LOCAL = 'http://localhost:8080'
const REFUSED = { status: 401, body: { code: 'UNAUTHORIZED', detail: 'The signature was not accepted' } }

let users = 0
let ada: Awaited<ReturnType<TestPortal['signedInUser']>>
const wallet = privateKeyToAccount(generatePrivateKey())
const { address } = wallet

const portal = await started(
  startPortal({ endpoints: { ethereum: ['http://127.0.0.1:9'] }, env: { COFFER_PUBLIC_URL: '' } }),
)

beforeEach(async () => {
  users += 1
  await portal.pool.query('truncate portal_wallet, portal_challenge')
  ada = await portal.signedInUser(`user ${users}`)
  await portal.pool.query('insert into portal_wallet (address, user_id) values ($1, $2)', [
    address.toLowerCase(),
    ada.id,
  ])
})

const begin = async (visitor: Visitor): Promise<string> =>
  (await visitor.post('/sign-in/wallet-challenge', { address })).body.text
const finish = async (visitor: Visitor, text: string) =>
  visitor.post('/sign-in/wallet', { address, text, signature: await wallet.signMessage({ message: text }) })
const challenges = async (where: string, value: string): Promise<number> =>
  (await portal.pool.query(`select from portal_challenge where ${where} = $1`, [value])).rowCount ?? 0

test('under an address that any caller could have chosen no one signs in, and a link still works', async () => {
  const visitor = portal.visit('https://evil.example')
  const refusal = {
    status: 403,
    body: { detail: expect.stringContaining('set COFFER_PUBLIC_URL=https://evil.example') },
  }
  expect(await visitor.post('/sign-in/wallet-challenge', { address })).toMatchObject(refusal)
  expect((await visitor.get('/sign-in/ways')).body).toMatchObject({ needsPublicUrl: 'https://evil.example' })
  const asked = Object.entries(everyEndpoint).filter(([, { requires }]) => requires.knownSite)
  for (const [name, { method, path }] of asked) {
    const { status, body } = await visitor.call(method, path, { raw: '[' })
    expect([status, body.detail], name).toEqual([403, expect.stringContaining('COFFER_PUBLIC_URL')])
  }
  expect(asked.map(([name]) => name).toSorted()).toEqual([
    ...[
      'beginOpenIdSignIn',
      'beginPasskeySignIn',
      'beginWallet',
      'beginWalletProof',
      'beginWalletSignIn',
      'linkWallet',
    ],
    ...['proveByWallet', 'signInWithPasskey', 'signInWithPassword', 'signInWithWallet'],
  ])
  const use = { token: await portal.invite('viewer'), name: `Guest ${users}`, password: PASSWORD }
  expect((await visitor.post('/links/use', use)).status).toBe(201)
})

test('a cookie has the prefix over https, and none on http', async () => {
  const token = ada.cookie()?.split('=')[1]
  const [secure, plain] = [portal.visit('https://coffer.example'), portal.visit(LOCAL)]
  for (const [browser, cookie, status] of [
    [secure, `__Host-coffer=${token}`, 200],
    [secure, `coffer=${token}`, 401],
    [plain, `coffer=${token}`, 200],
    [plain, `__Host-coffer=${token}`, 401],
  ] as const) {
    browser.takeCookie(cookie)
    expect((await browser.get('/session')).status, `${cookie.split('=')[0]} at ${browser.origin}`).toBe(status)
  }
  await portal.givePassword(ada.id)
  const { headers } = await plain.post('/sign-in/password', { name: `user ${users}`, password: PASSWORD })
  expect(headers.getSetCookie()[0]).toMatch(/^coffer=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/)
})

test('a text signs in under the origin alone that it was made for', async () => {
  const text = await begin(portal.visit(LOCAL))
  expect(text).toContain('localhost:8080 wants you to sign in')
  expect(await finish(portal.visit('http://127.0.0.1:8080'), text)).toMatchObject(REFUSED)
  expect((await finish(portal.visit(LOCAL), text)).status).toBe(200)
})

test('what others send for a wallet does not lock its sign-in', async () => {
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const junk = { address, text: `junk ${attempt}`, signature: '0x00' }
    expect(await portal.visit(LOCAL).post('/sign-in/wallet', junk)).toMatchObject(REFUSED)
    const text = await begin(portal.visit(LOCAL))
    expect((await portal.visit(LOCAL).post('/sign-in/wallet', { address, text, signature: '0x00' })).status).toBe(401)
  }
  const own = portal.visit(LOCAL)
  expect((await finish(own, await begin(own))).status).toBe(200)
})

test('wrong passwords of others do not keep a signed-in user from a proof', async () => {
  const { rows } = await portal.pool.query('select name from portal_user where id = $1', [ada.id])
  const [{ name }] = rows
  await portal.givePassword(ada.id)
  for (let attempt = 0; attempt < 7; attempt += 1) {
    await portal.visit(LOCAL).post('/sign-in/password', { name, password: 'not the password' })
  }
  expect((await portal.visit(LOCAL).post('/sign-in/password', { name, password: PASSWORD })).status).toBe(429)
  expect((await ada.post('/proof/password', { password: PASSWORD })).status).toBe(200)
})

test('open challenges are bounded by session and user, and do not end those of others', async () => {
  const own = portal.visit(LOCAL)
  const text = await begin(own)
  for (let session = 0; session < 4; session += 1) {
    await ada.renewSession()
    for (let at = 0; at < 22; at += 1) expect((await ada.post('/proof/passkey-options')).status).toBe(200)
    const open = await challenges('opened_by', `user:${ada.id}`)
    const most = Math.min(20 * (session + 1), 60)
    // A connection that exceeds both bounds ends two.
    expect([most - 1, most]).toContain(open)
  }
  expect((await finish(own, text)).status).toBe(200)
})

test('of networks in which no one is signed in the largest gives way', async () => {
  const own = portal.visit(LOCAL)
  const text = await begin(own)
  await portal.pool.query(
    `insert into portal_challenge (challenge, purpose, subject, origin, opened_by, expires_at)
     select 'x' || n, 'sign-in', '', '', 'network:' || (n % 40), coffer_now() + interval '4 minutes' from generate_series(1, 10000) n`,
  )
  await begin(portal.visit(LOCAL))
  const { rows } = await portal.pool.query('select count(*)::int as n from portal_challenge')
  expect(rows).toEqual([{ n: 10_001 }])
  expect((await finish(own, text)).status).toBe(200)
})

test.each([
  ['a usual port', { 'x-forwarded-host': 'nas.example:443', 'x-forwarded-proto': 'https' }],
  ['capitals', { 'x-forwarded-host': 'NAS.Example', 'x-forwarded-proto': 'HTTPS' }],
  ['lists', { 'x-forwarded-host': 'nas.example, inner.lan', 'x-forwarded-proto': 'https,http' }],
  ['Forwarded', { forwarded: 'for=10.1.1.1;host="nas.example";proto=https, for=10.0.0.1' }],
])('a proxy that forwards %s is understood', async (_what, headers) => {
  const forwarded = { 'x-forwarded-host': undefined, 'x-forwarded-proto': undefined, forwarded: undefined, ...headers }
  const call = (origin: string) =>
    portal.visit().call('POST', '/portal/api/links/look', {
      body: { token: 'x'.repeat(22) },
      headers: { ...forwarded, 'sec-fetch-site': undefined, origin },
    })
  expect((await call('https://nas.example')).status).toBe(404)
  const other = await call('https://other.example')
  expect(other.status).toBe(403)
  expect(other.body.detail).toMatch(
    /^The page is at https:\/\/other.example, but the service expects https:\/\/nas.example: set COFFER_PUBLIC_URL /,
  )
})
