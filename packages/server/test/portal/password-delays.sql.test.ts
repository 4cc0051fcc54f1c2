import { argon2Sync, randomBytes } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { beginAttempt } from '../../src/features/portal-users/password-delays.ts'
import { started } from '../started.ts'
import { createAuthenticator } from './authenticator.ts'
import { PASSWORD, startPortal, type TestPortal } from './portal-service.ts'
import { newAddress, type PortalAnswer, type Visitor } from './visitor.ts'

const TOO_MANY = 'Too many wrong passwords: wait, or sign in with a passkey, a wallet or a link'

let ada: Awaited<ReturnType<TestPortal['signedInUser']>>
let name: string
let users = 0
/** Since the start of the test. */
let seconds: number

const portal = await started(startPortal())

beforeEach(async () => {
  seconds = 0
  await pass(0)
  users += 1
  name = `user ${users}`
  ada = await portal.signedInUser(name)
  await portal.givePassword(ada.id)
})

async function pass(more: number) {
  seconds += more
  await portal.pass(`${seconds} seconds`)
}

/** One attempt, without the limits per minute, which another test checks. */
async function attempt(password: string, { as = name, from = portal.visit() }: { as?: string; from?: Visitor } = {}) {
  portal.nextMinute()
  return from.post('/sign-in/password', { name: as, password })
}

/** Reported wait for the next attempt; 0 if the service checked the password. */
const waitOf = ({ status, headers }: PortalAnswer) => (status === 429 ? Number(headers.get('retry-after')) : 0)

/** Wrong passwords, each at the earliest allowed time. */
async function fail(times: number, as = name): Promise<void> {
  for (let wrong = 1; wrong <= times; wrong += 1) {
    expect((await attempt('not the password', { as })).status).toBe(401)
    if (wrong >= 5) await pass(900)
  }
}

test('waits begin after the fifth wrong password, double, and end at a quarter of an hour', async () => {
  for (let wrong = 1; wrong <= 4; wrong += 1) expect((await attempt('not the password')).status).toBe(401)
  const waits: number[] = []
  for (let wrong = 5; wrong <= 11; wrong += 1) {
    expect((await attempt('not the password')).status).toBe(401)
    const refused = await attempt(PASSWORD)
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED', detail: TOO_MANY } })
    waits.push(waitOf(refused))
    await pass(waitOf(refused))
  }
  const documented = [60, 120, 240, 480, 900, 900, 900]
  for (const [i, wait] of waits.entries()) {
    expect(wait).toBeLessThanOrEqual(documented[i] ?? 0)
    expect(wait).toBeGreaterThan((documented[i] ?? 0) - 30)
  }
  expect((await attempt(PASSWORD)).status).toBe(200)
})

test('a right password resets the count', async () => {
  await fail(8)
  expect((await attempt(PASSWORD)).status).toBe(200)
  for (let wrong = 1; wrong <= 5; wrong += 1) expect((await attempt('not the password')).status).toBe(401)
  expect(waitOf(await attempt(PASSWORD))).toBeLessThanOrEqual(60)
})

test('a day later nothing is held against anybody', async () => {
  await fail(9)
  await pass(86_401)
  for (let wrong = 1; wrong <= 4; wrong += 1) expect((await attempt('not the password')).status).toBe(401)
  expect((await attempt(PASSWORD)).status).toBe(200)
})

test('an unused name waits the same', async () => {
  const nobody = `nobody ${users}`
  for (let wrong = 1; wrong <= 5; wrong += 1) {
    expect((await attempt('not the password', { as: nobody })).status).toBe(401)
  }
  expect(await attempt(PASSWORD, { as: nobody.toUpperCase() })).toMatchObject({
    status: 429,
    body: { detail: TOO_MANY },
  })
})

test('of many at once no more are looked at than one after the other', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => attempt('not the password')))
  const looked = answers.filter(({ status }) => status === 401)
  expect(looked.length).toBeLessThanOrEqual(5)
})

test('a user that others keep waiting comes in by passkey and by link, and from there sets a password', async () => {
  const authenticator = createAuthenticator('https://coffer.example')
  const { body } = await ada.post('/user/passkeys/options')
  await ada.post('/user/passkeys', { name: 'laptop', response: authenticator.create(body) })
  await fail(9)
  expect((await attempt('not the password')).status).toBe(401)
  expect((await attempt(PASSWORD)).status).toBe(429)
  const visitor = portal.visit()
  const options = (await visitor.post('/sign-in/passkey-options')).body
  expect((await visitor.post('/sign-in/passkey', { response: authenticator.sign(options) })).status).toBe(200)
  const { createLink } = await import('../../src/features/portal-users/links.ts')
  const { token } = await createLink(portal.db, { kind: 'recovery', userId: ada.id })
  expect((await portal.visit().post('/links/use', { token, name, password: PASSWORD })).status).toBe(201)
})

test('a network waits after twenty wrong passwords for whatever names, and others do not', async () => {
  const one = portal.visit()
  for (let wrong = 1; wrong <= 20; wrong += 1) {
    expect((await attempt('not the password', { as: `name ${users} ${wrong}`, from: one })).status).toBe(401)
  }
  const refused = await attempt(PASSWORD, { from: one })
  expect(refused).toMatchObject({ status: 429, body: { detail: TOO_MANY } })
  expect((await attempt(PASSWORD)).status).toBe(200)
  await pass(waitOf(refused))
  expect((await attempt('not the password', { as: `name ${users} 21`, from: one })).status).toBe(401)
  const longer = waitOf(await attempt(PASSWORD, { from: one }))
  expect(longer).toBeGreaterThan(60)
  await pass(longer)
  expect((await attempt(PASSWORD, { from: one })).status).toBe(200)
})

test('a right password without its code does not count as a failure, a wrong code does', async () => {
  await fail(6)
  const { totpCode } = await import('../../src/features/portal-users/totp.ts')
  const { base32nopad } = await import('@scure/base')
  const renewed = portal.visit()
  expect((await renewed.post('/sign-in/password', { name, password: PASSWORD })).status).toBe(200)
  const { secret } = (await renewed.post('/user/totp')).body
  const key = Buffer.from(base32nopad.decode(secret))
  const step = async () => Math.floor((Date.now() / 1_000 + seconds) / 30)
  expect((await renewed.post('/user/totp/confirm', { code: totpCode(key, await step()) })).status).toBe(200)
  for (let asked = 1; asked <= 7; asked += 1) {
    expect(await attempt(PASSWORD)).toMatchObject({ status: 401, body: { needsCode: true } })
  }
  const withCode = async (code: string) => {
    portal.nextMinute()
    return portal.visit().post('/sign-in/password', { name, password: PASSWORD, code })
  }
  for (let wrong = 1; wrong <= 5; wrong += 1) expect((await withCode('000000')).status).toBe(401)
  expect((await withCode('000000')).status).toBe(429)
  await pass(60)
  expect((await withCode(totpCode(key, (await step()) + 1))).status).toBe(200)
})

const passwordOf = async (id: string) =>
  (await portal.pool.query<{ password: string }>('select password from portal_user where id = $1', [id])).rows[0]
    ?.password

function hashBy({ memory, passes }: { memory: number; passes: number }): string {
  const nonce = randomBytes(16)
  const tag = argon2Sync('argon2id', { message: PASSWORD, nonce, parallelism: 1, tagLength: 32, memory, passes })
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${nonce.toString('base64url')}$${tag.toString('base64url')}`
}

test.each([
  ['less memory', { memory: 9_728, passes: 2 }],
  ['fewer passes', { memory: 19_456, passes: 1 }],
])('a hash by %s is made anew when its password is right, and at no other time', async (_how, parameters) => {
  const weak = hashBy(parameters)
  await portal.pool.query('update portal_user set password = $1 where id = $2', [weak, ada.id])
  expect((await attempt('not the password')).status).toBe(401)
  expect(await passwordOf(ada.id)).toBe(weak)
  expect((await attempt(PASSWORD)).status).toBe(200)
  const strong = await passwordOf(ada.id)
  expect(strong).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect((await attempt(PASSWORD)).status).toBe(200)
  expect(await passwordOf(ada.id)).toBe(strong)
})

test('a hash by stronger parameters stays', async () => {
  const strong = hashBy({ memory: 24_576, passes: 3 })
  await portal.pool.query('update portal_user set password = $1 where id = $2', [strong, ada.id])
  expect((await attempt(PASSWORD)).status).toBe(200)
  expect(await passwordOf(ada.id)).toBe(strong)
})

test('a right password meanwhile ends no wait that another attempt has begun', async () => {
  const begin = (user: string, address: string) => beginAttempt(portal.db, user, address)
  const from = newAddress()
  for (let wrong = 1; wrong <= 18; wrong += 1) await begin(`name ${users} ${wrong}`, from)
  const nineteenth = await begin(name, from)
  await begin(`name ${users} 20`, from)
  await nineteenth.right()
  await expect(begin(name, from)).rejects.toMatchObject({ code: 'RATE_LIMITED', extras: { retryAfterSeconds: 60 } })
})
