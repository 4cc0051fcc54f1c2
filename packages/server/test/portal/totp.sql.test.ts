import { createHmac } from 'node:crypto'
import { base32nopad } from '@scure/base'
import { beforeEach, expect, test } from 'vitest'
import { started } from '../started.ts'
import { PASSWORD, startPortal } from './portal-service.ts'
import type { PortalAnswer, Visitor } from './visitor.ts'

const NEEDS_CODE = { status: 401, body: { code: 'UNAUTHORIZED', needsCode: true } }

let users = 0
/** Seconds of the database, in the middle of a time step. */
const NOON = 1_900_000_005
let now = NOON

const portal = await started(startPortal({ env: { COFFER_MASTER_KEY: '7f'.repeat(32) } }))
await portal.setUp()

beforeEach(() => at(NOON))

async function at(seconds: number) {
  now = seconds
  await portal.pool.query(
    `create or replace function coffer_now() returns timestamptz language sql stable as 'select to_timestamp(${seconds})'`,
  )
}

/** The app's code for the key, `steps` later: RFC 6238 and 4226. */
function shown(secret: string, steps = 0): string {
  const message = Buffer.alloc(8)
  message.writeUInt32BE(Math.floor(now / 30) + steps, 4)
  const mac = createHmac('sha1', Buffer.from(base32nopad.decode(secret)))
    .update(message)
    .digest()
  return String((mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

async function newUser() {
  users += 1
  const [name, token, visitor] = [`user ${users}`, await portal.invite('owner'), portal.visit()]
  await visitor.post('/links/use', { token, name, password: PASSWORD })
  return { name, visitor }
}

async function userWithCodes() {
  const { name, visitor } = await newUser()
  const { secret } = (await visitor.post('/user/totp')).body as { secret: string }
  const confirmed = await visitor.post('/user/totp/confirm', { code: shown(secret) })
  expect(confirmed.status).toBe(200)
  await at(now + 60)
  return { name, visitor, secret, recoveryCodes: confirmed.body.recoveryCodes as string[] }
}

const signIn = (name: string, code?: string, password = PASSWORD): Promise<PortalAnswer> =>
  portal.visit().post('/sign-in/password', { name, password, ...(code !== undefined && { code }) })
const hasTotp = async (visitor: Visitor) => (await visitor.get('/session')).body.user.hasTotp

test('an app is given a key, and asked for once it has shown a code of it', async () => {
  const { name, visitor } = await newUser()
  const { status, body } = await visitor.post('/user/totp')
  expect(status).toBe(200)
  expect(body.secret).toMatch(/^[A-Z2-7]{32}$/)
  const uri = new URL(body.uri)
  expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual(['otpauth:', 'totp', `/Coffer:${name}`])
  expect(Object.fromEntries(uri.searchParams)).toEqual({ secret: body.secret, issuer: 'Coffer' })
  expect((await signIn(name)).status).toBe(200)
  const wrong = await visitor.post('/user/totp/confirm', { code: shown(body.secret, 7) })
  expect(wrong).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } })
  expect([await hasTotp(visitor), (await signIn(name)).status]).toEqual([false, 200])
  const confirmed = await visitor.post('/user/totp/confirm', { code: shown(body.secret) })
  expect(confirmed.body.recoveryCodes).toHaveLength(10)
  for (const code of confirmed.body.recoveryCodes) expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
  expect(await hasTotp(visitor)).toBe(true)
  expect(await signIn(name)).toMatchObject(NEEDS_CODE)
})

test('a code is required only with the right password, and is good once', async () => {
  const { name, secret } = await userWithCodes()
  const wrong = await signIn(name, shown(secret), 'not the password')
  expect(wrong.status).toBe(401)
  expect(wrong.body).not.toHaveProperty('needsCode')
  expect(await signIn(name, shown(secret, 5))).toMatchObject(NEEDS_CODE)
  expect((await signIn(name, shown(secret))).status).toBe(200)
  expect(await signIn(name, shown(secret))).toMatchObject(NEEDS_CODE)
  expect(await signIn(name, shown(secret, -1))).toMatchObject(NEEDS_CODE)
  expect(await signIn(name, shown(secret, 1))).toMatchObject({ status: 429 })
})

test('a code one step old is good, and one that was confirmed with is not', async () => {
  const { name, secret } = await userWithCodes()
  expect(await signIn(name, shown(secret, -2))).toMatchObject(NEEDS_CODE)
  expect((await signIn(name, shown(secret, -1))).status).toBe(200)
})

test('of one code that comes many times at once one is taken', async () => {
  const { name, secret } = await userWithCodes()
  const answers = await Promise.all(Array.from({ length: 5 }, () => signIn(name, shown(secret))))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401])
})

test('a recovery code takes the place of a code, once, in any spelling', async () => {
  const { name, recoveryCodes } = await userWithCodes()
  const [first = '', second = ''] = recoveryCodes
  expect((await signIn(name, first)).status).toBe(200)
  expect(await signIn(name, first)).toMatchObject(NEEDS_CODE)
  expect((await signIn(name, second.toLowerCase().replaceAll('-', ' '))).status).toBe(200)
  const other = await userWithCodes()
  expect(await signIn(name, other.recoveryCodes[0])).toMatchObject(NEEDS_CODE)
})

test('a proof by the password needs a code too', async () => {
  const { visitor, secret } = await userWithCodes()
  const prove = (code?: string) => visitor.post('/proof/password', { password: PASSWORD, code })
  expect(await prove()).toMatchObject(NEEDS_CODE)
  expect((await prove(shown(secret))).status).toBe(200)
  expect(await prove(shown(secret))).toMatchObject(NEEDS_CODE)
})

test('another key takes the place of the first once it is confirmed, with recovery codes of its own', async () => {
  const { name, visitor, secret, recoveryCodes } = await userWithCodes()
  const { body } = await visitor.post('/user/totp')
  expect((await signIn(name, shown(secret))).status).toBe(200)
  await at(now + 60)
  expect((await visitor.post('/user/totp/confirm', { code: shown(body.secret) })).status).toBe(200)
  await at(now + 60)
  expect(await signIn(name, shown(secret))).toMatchObject(NEEDS_CODE)
  expect(await signIn(name, recoveryCodes[0])).toMatchObject(NEEDS_CODE)
  expect((await signIn(name, shown(body.secret))).status).toBe(200)
})

test('codes are no longer asked for once they are removed, and nothing of them is left', async () => {
  const kept = async () =>
    (
      await portal.pool.query(
        'select (select count(*)::int from secret), (select count(*)::int from portal_recovery_code) as codes',
      )
    ).rows[0]
  const before = await kept()
  const { name, visitor, secret } = await userWithCodes()
  await visitor.post('/user/totp')
  expect((await visitor.remove('/user/totp')).status).toBe(200)
  expect((await visitor.remove('/user/totp')).status).toBe(404)
  expect(await kept()).toEqual(before)
  expect([await hasTotp(visitor), (await signIn(name)).status]).toEqual([false, 200])
  expect((await visitor.post('/user/totp/confirm', { code: shown(secret) })).status).toBe(400)
})

test('the key and the recovery codes are stored so that the database alone does not reveal them', async () => {
  const { secret, recoveryCodes } = await userWithCodes()
  const { rows } = await portal.pool.query(`
    select to_jsonb(secret)::text as row from secret union all select to_jsonb(u)::text from portal_user u
    union all select to_jsonb(c)::text from portal_recovery_code c union all select to_jsonb(a)::text from audit_event a`)
  const stored = rows.map(({ row }) => row).join('\n')
  const plain = [secret, Buffer.from(secret).toString('hex'), Buffer.from(base32nopad.decode(secret)).toString('hex')]
  for (const text of [...plain, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))]) {
    expect(stored.includes(text), text).toBe(false)
  }
})
