import { request } from 'node:http'
import { beforeEach, describe, expect, test } from 'vitest'
import { sized } from '../sized.ts'
import { started } from '../started.ts'
import { PASSWORD, startPortal } from './portal-service.ts'
import { newAddress, SIGNED_OUT, type Visitor } from './visitor.ts'

let users = 0

const portal = await started(startPortal())
const owner = await portal.setUp()
const ownerCookie = owner.cookie()

beforeEach(async () => {
  await portal.pass('0')
  owner.takeCookie(ownerCookie)
})

const newUser = () => {
  users += 1
  return portal.signedInUser(`user ${users}`, { role: 'owner' })
}
const tokenOf = (visitor: Visitor) => visitor.cookie()?.split('=')[1] ?? ''
const seen = async (visitor: Visitor) => (await visitor.get('/session')).status

test('the first user owns the account that the first start made', async () => {
  expect((await owner.get('/accounts/1/members')).body).toMatchObject([{ name: 'Olga', role: 'owner' }])
})

describe('a session', () => {
  test('has a token of its own, whatever cookie came before it', async () => {
    const planted = `__Host-coffer=${'a'.repeat(43)}`
    const browser = portal.visit()
    browser.takeCookie(planted)
    expect(await browser.get('/session')).toMatchObject(SIGNED_OUT)
    const { status } = await browser.post('/sign-in/password', { name: 'OLGA', password: PASSWORD })
    expect([status, browser.cookie() === planted]).toEqual([200, false])
    expect(await seen(browser)).toBe(200)
    browser.takeCookie(planted)
    expect(await browser.get('/session')).toMatchObject(SIGNED_OUT)
    const { rows } = await portal.pool.query('select digest from portal_session')
    expect(JSON.stringify(rows)).not.toContain(tokenOf(owner))
  })

  test('takes the place of the one that the browser had', async () => {
    const browser = portal.visit()
    await browser.post('/sign-in/password', { name: 'Olga', password: PASSWORD })
    const former = browser.cookie()
    await browser.post('/sign-in/password', { name: 'Olga', password: PASSWORD })
    expect(await seen(browser)).toBe(200)
    browser.takeCookie(former)
    expect(await browser.get('/session')).toMatchObject(SIGNED_OUT)
  })

  test('ends after twelve hours without use', async () => {
    const user = await newUser()
    await portal.pass('11 hours 59 minutes')
    expect(await seen(user)).toBe(200)
    await portal.pass('23 hours 58 minutes')
    expect(await seen(user)).toBe(200)
    await portal.pass('35 hours 59 minutes')
    expect(await user.get('/session')).toMatchObject(SIGNED_OUT)
  })

  test('ends after thirty days in any case', async () => {
    const user = await newUser()
    for (let hours = 11; hours < 720; hours += 11) {
      await portal.pass(`${hours} hours`)
      expect(await seen(user), `${hours} hours`).toBe(200)
    }
    await portal.pass('720 hours 1 second')
    expect(await user.get('/session')).toMatchObject(SIGNED_OUT)
  })

  test('ends where its user signs out, and at once', async () => {
    const user = await newUser()
    const cookie = user.cookie()
    const { headers } = await user.post('/sign-out')
    expect(headers.getSetCookie()).toEqual(['__Host-coffer=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0'])
    user.takeCookie(cookie)
    expect(await user.get('/session')).toMatchObject(SIGNED_OUT)
  })

  test('can be ended from another, by its own user alone', async () => {
    const [user, outsider] = [await newUser(), await newUser()]
    const first = user.cookie()
    await user.renewSession()
    const { body } = await user.get('/user/sessions')
    expect(body.map(({ isCurrent, address, agent }: Record<string, unknown>) => [isCurrent, address, agent])).toEqual([
      [true, user.address, 'test browser'],
      [false, user.address, 'test browser'],
    ])
    expect((await outsider.remove(`/user/sessions/${body[1].id}`)).status).toBe(404)
    expect((await user.remove(`/user/sessions/${body[1].id}`)).status).toBe(200)
    expect((await user.remove(`/user/sessions/${body[1].id}`)).status).toBe(404)
    expect(await seen(user)).toBe(200)
    user.takeCookie(first)
    expect(await user.get('/session')).toMatchObject(SIGNED_OUT)
  })

  test('ends with a new password, but for the one that set it', async () => {
    const user = await newUser()
    const first = user.cookie()
    await user.renewSession()
    expect((await user.post('/user/password', { password: 'a password of some length' })).status).toBe(200)
    expect(await seen(user)).toBe(200)
    user.takeCookie(first)
    expect(await user.get('/session')).toMatchObject(SIGNED_OUT)
  })
})

describe('a cookie', () => {
  test('counts along with others, and not when there are two of it', async () => {
    const [own, other] = [`__Host-coffer=${tokenOf(owner)}`, `__Host-coffer=${tokenOf(await newUser())}`]
    for (const [cookie, status] of [
      [`theme=dark; ${own}; x__Host-coffer=y`, 200],
      [`${own}; ${other}`, 401],
      [`${other}; ${own}`, 401],
      [`${own}; ${own}`, 401],
      [`${own}; __Host-coffer=`, 401],
      [`${own}x`, 401],
      [own.toLowerCase().replace('__host', '__Host'), 401],
      ['__Host-coffer', 401],
    ] as const) {
      owner.takeCookie(cookie)
      expect(await seen(owner), cookie).toBe(status)
    }
  })

  test('never counts on /v1, and a key never here', async () => {
    const authorization = `Bearer ${portal.ownerKey}`
    expect((await owner.call('GET', '/v1/credits')).status).toBe(401)
    expect((await owner.call('GET', '/v1/credits', { headers: { authorization } })).status).toBe(200)
    const outsider = portal.visit()
    for (const path of ['/session', '/accounts/1/keys', '/accounts/1/v1/credits']) {
      expect(await outsider.get(path, { headers: { authorization } }), path).toMatchObject(SIGNED_OUT)
    }
    const both = await owner.get('/accounts/1/v1/credits', { headers: { authorization: 'Bearer nonsense' } })
    expect(both.status).toBe(200)
  })
})

describe('pages of other sites', () => {
  const ORIGIN = 'https://coffer.example'
  const SITES = ['same-origin', 'same-site', 'cross-site', 'none', 'nonsense', undefined] as const
  const OTHERS = ['https://evil.example', 'https://coffer.example:8443', 'http://coffer.example', 'null']
  const ORIGINS = [ORIGIN, ...OTHERS, undefined]
  const from = () => ({ 'x-forwarded-for': newAddress() })
  const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data']
  const TYPES = ['application/json', 'text/plain', ...FORMS, undefined]

  const all = SITES.flatMap((site) => ORIGINS.flatMap((origin) => TYPES.map((type) => ({ site, origin, type }))))
  type Sent = (typeof all)[number]
  /** Accepted, or the status of the refusal. */
  function expectedOf({ site, origin, type }: Sent): 'taken' | 400 | 403 {
    const isOwn = site === undefined ? origin === ORIGIN : site === 'same-origin'
    if (!isOwn) return 403
    return type === 'application/json' ? 'taken' : 400
  }

  test.each(['POST', 'PATCH'])('change nothing by %s: only JSON of the portal itself is taken', async (method) => {
    const { body: key } = await owner.post('/accounts/1/keys', { name: 'first' })
    const path = method === 'POST' ? '/portal/api/accounts/1/keys' : `/portal/api/accounts/1/keys/${key.id}`
    const state = async () => (await portal.pool.query('select id, name from api_key order by id')).rows
    for (const sent of all) {
      const [before, name] = [await state(), Object.values(sent).join(' ')]
      const headers = { ...from(), 'sec-fetch-site': sent.site, origin: sent.origin, 'content-type': sent.type }
      const { status, headers: answered } = await owner.call(method, path, { raw: JSON.stringify({ name }), headers })
      const expected = expectedOf(sent)
      expect(status < 300 ? 'taken' : status, name).toBe(expected)
      const after = await state()
      if (expected === 'taken') expect(after, name).toContainEqual({ id: expect.anything(), name })
      else expect(after, name).toEqual(before)
      expect(answered.get('access-control-allow-origin'), name).toBeNull()
    }
  })

  test('remove nothing, with or without a body', async () => {
    const { body: key } = await owner.post('/accounts/1/keys', { name: 'second' })
    const path = `/portal/api/accounts/1/keys/${key.id}`
    for (const site of ['same-site', 'cross-site', 'none']) {
      expect((await owner.call('DELETE', path, { headers: { ...from(), 'sec-fetch-site': site } })).status).toBe(403)
    }
    const headers = { ...from(), 'sec-fetch-site': undefined, origin: 'https://evil.example' }
    expect((await owner.call('DELETE', path, { headers })).status).toBe(403)
    expect((await owner.call('DELETE', path)).status).toBe(200)
  })

  test('read nothing; who types an address does', async () => {
    for (const [site, status] of [
      ['same-origin', 200],
      ['none', 200],
      [undefined, 200],
      ['same-site', 403],
      ['cross-site', 403],
    ] as const) {
      const answer = await owner.get('/session', {
        headers: { ...from(), 'sec-fetch-site': site, origin: 'https://evil.example' },
      })
      expect(answer.status, site).toBe(status)
      expect(
        [...answer.headers.keys()].filter((name) => name.startsWith('access-control')),
        site,
      ).toEqual([])
    }
  })

  test('get no CORS header, not for a preflight either', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    for (const path of ['/portal/api/session', '/portal/api/accounts/1/keys', '/portal/api/nothing']) {
      for (const method of ['OPTIONS', 'PUT']) {
        const answer = await owner.call(method, path, { headers })
        expect([404, 405]).toContain(answer.status)
        expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
        expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
      }
    }
  })
})

test('no setting of CORS reaches the portal', async () => {
  const origins = ['*', 'https://evil.example']
  for (const allowed of sized({ small: origins.slice(0, 1), deep: origins })) {
    const open = await startPortal({ env: { COFFER_CORS_ORIGIN: allowed } })
    try {
      const visitor = await open.setUp()
      const headers = { origin: 'https://evil.example' }
      const own = await visitor.get('/session', { headers })
      expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([200, null])
      const { headers: data } = await visitor.get('/accounts/1/v1/credits', { headers })
      expect(data.get('access-control-allow-origin')).toBeNull()
      const { headers: of } = await visitor.call('GET', '/v1/credits', { headers })
      expect(of.get('access-control-allow-origin')).toBe(allowed)
    } finally {
      await open.stop()
    }
  }
})

test('without an issuer of OpenID there is no such way', async () => {
  const visitor = portal.visit()
  expect((await visitor.get('/sign-in/ways')).body).toEqual({ openId: null, needsPublicUrl: null })
  expect(await visitor.post('/sign-in/openid')).toMatchObject({ status: 501, body: { code: 'NOT_CONFIGURED' } })
  expect(await visitor.post('/sign-in/openid-return', { query: 'code=x' })).toMatchObject({ status: 501 })
})

test('a host that is none is refused, whatever cookie comes with it', async () => {
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const { hostname, port } = new URL(portal.url)
    const headers = { host: 'evil.example/x', cookie: `coffer=${tokenOf(owner)}`, 'sec-fetch-site': 'same-origin' }
    request({ hostname, port, path: '/portal/api/session', headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
  expect(status).toBe(400)
})
