import { beforeEach, describe, expect, test } from 'vitest'
import { started } from '../started.ts'
import { createAuthenticator } from './authenticator.ts'
import { startPortal, type TestPortal } from './portal-service.ts'
import type { Visitor } from './visitor.ts'

type Authenticator = ReturnType<typeof createAuthenticator>
const SITE = 'https://coffer.example'
const REFUSED = { status: 401, body: { code: 'UNAUTHORIZED', detail: 'The passkey was not accepted' } }

let ada: Awaited<ReturnType<TestPortal['signedInUser']>>
let own: Authenticator
let users = 0

const portal = await started(startPortal())

beforeEach(async () => {
  await portal.pass('0')
  ;({ user: ada, authenticator: own } = await userWithPasskey())
})

async function userWithPasskey() {
  users += 1
  const user = await portal.signedInUser(`user ${users}`)
  const authenticator = createAuthenticator(SITE)
  const { body: options } = await user.post('/user/passkeys/options')
  const added = await user.post('/user/passkeys', { name: 'laptop', response: authenticator.create(options) })
  expect(added).toMatchObject({ status: 201, body: { id: authenticator.id } })
  return { user, authenticator }
}

const beginSignIn = async (browser: Visitor) => (await browser.post('/sign-in/passkey-options')).body
const sessions = async () => (await portal.pool.query('select from portal_session')).rowCount

/** No response of these signs a user in. */
async function expectRefused(response: object, browser = portal.visit()) {
  const before = await sessions()
  const answer = await browser.post('/sign-in/passkey', { response })
  expect(answer).toMatchObject(REFUSED)
  expect(answer.headers.getSetCookie()).toEqual([])
  expect(await sessions()).toBe(before)
}

test('signs its user in, names no user beforehand, and is noted', async () => {
  const browser = portal.visit()
  const options = await beginSignIn(browser)
  expect(options).toMatchObject({ rpId: 'coffer.example', allowCredentials: [], userVerification: 'required' })
  const signedIn = await browser.post('/sign-in/passkey', { response: own.sign(options) })
  expect(signedIn).toMatchObject({ status: 200, body: { user: { id: ada.id, passkeys: 1, hasPassword: false } } })
  const { body } = await browser.get('/user/passkeys')
  expect(body).toEqual([{ id: own.id, name: 'laptop', createdAt: expect.any(String), lastUsedAt: expect.any(String) }])
})

describe('does not sign in', () => {
  test('by a challenge that was taken, or was never made', async () => {
    const options = await beginSignIn(portal.visit())
    const response = own.sign(options)
    expect((await portal.visit().post('/sign-in/passkey', { response })).status).toBe(200)
    await expectRefused(response)
    await expectRefused(own.sign(options))
    await expectRefused(own.sign({ challenge: Buffer.from('of my own').toString('base64url') }))
  })

  test('by a challenge that has expired', async () => {
    const [late, inTime] = [await beginSignIn(portal.visit()), await beginSignIn(portal.visit())]
    await portal.pass('4 minutes 50 seconds')
    expect((await portal.visit().post('/sign-in/passkey', { response: own.sign(inTime) })).status).toBe(200)
    await portal.pass('5 minutes 1 second')
    await expectRefused(own.sign(late))
  })

  test('by a challenge for something else', async () => {
    const { body: proof } = await ada.post('/proof/passkey-options')
    const { body: adding } = await ada.post('/user/passkeys/options')
    await expectRefused(own.sign(proof))
    await expectRefused(own.sign(adding))
  })

  test('for another origin, another host, or another ceremony', async () => {
    const sign = async (faults: object) => own.sign(await beginSignIn(portal.visit()), faults)
    await expectRefused(await sign({ origin: 'https://evil.example' }))
    await expectRefused(await sign({ origin: 'http://coffer.example' }))
    await expectRefused(await sign({ origin: 'https://coffer.example:8443' }))
    await expectRefused(await sign({ rpId: 'evil.example' }))
    await expectRefused(await sign({ type: 'webauthn.create' }))
  })

  test('without the user verified', async () => {
    await expectRefused(own.sign(await beginSignIn(portal.visit()), { flags: 0x01 }))
    await expectRefused(own.sign(await beginSignIn(portal.visit()), { flags: 0x04 }))
  })

  test('where its counter stands still or goes back: it was copied', async () => {
    const counted = async (counter: number) => own.sign(await beginSignIn(portal.visit()), { counter })
    expect((await portal.visit().post('/sign-in/passkey', { response: await counted(7) })).status).toBe(200)
    await expectRefused(await counted(7))
    await expectRefused(await counted(6))
    expect((await portal.visit().post('/sign-in/passkey', { response: await counted(8) })).status).toBe(200)
  })

  test('with a signature of another key, or garbled', async () => {
    const other = createAuthenticator(SITE)
    await expectRefused(other.sign(await beginSignIn(portal.visit())))
    const forged = other.sign(await beginSignIn(portal.visit()))
    await expectRefused({ ...forged, id: own.id, rawId: own.id })
    const good = own.sign(await beginSignIn(portal.visit()))
    const response = { ...good.response, signature: Buffer.alloc(70, 1).toString('base64url') }
    await expectRefused({ ...good, response })
    for (const junk of [
      {},
      { clientDataJSON: 7 },
      { clientDataJSON: 'e30' },
      { ...good.response, authenticatorData: 'AA' },
    ]) {
      await expectRefused({ ...good, response: junk })
    }
  })

  test('once it was removed', async () => {
    const options = await beginSignIn(portal.visit())
    await portal.givePassword(ada.id)
    expect((await ada.remove(`/user/passkeys/${own.id}`)).status).toBe(200)
    await expectRefused(own.sign(options))
  })
})

describe('is not added', () => {
  test('by a challenge of another user, one that was taken, or one for a sign-in', async () => {
    const { user: eve } = await userWithPasskey()
    const add = (by: Visitor, options: { challenge: string }) =>
      by.post('/user/passkeys', { name: 'more', response: createAuthenticator(SITE).create(options) })
    const { body: options } = await ada.post('/user/passkeys/options')
    expect(await add(eve, options)).toMatchObject(REFUSED)
    expect((await add(ada, options)).status).toBe(201)
    expect(await add(ada, options)).toMatchObject(REFUSED)
    expect(await add(ada, await beginSignIn(ada))).toMatchObject(REFUSED)
    expect((await eve.get('/user/passkeys')).body).toHaveLength(1)
    expect((await ada.get('/user/passkeys')).body).toHaveLength(2)
  })

  test('for another origin or host, or without the user verified', async () => {
    for (const faults of [{ origin: 'https://evil.example' }, { rpId: 'evil.example' }, { flags: 0x41 }]) {
      const { body: options } = await ada.post('/user/passkeys/options')
      const response = createAuthenticator(SITE).create(options, faults)
      expect(await ada.post('/user/passkeys', { name: 'more', response })).toMatchObject(REFUSED)
    }
  })

  test('where another user has it', async () => {
    const { user: eve } = await userWithPasskey()
    const { body: options } = await eve.post('/user/passkeys/options')
    const taken = await eve.post('/user/passkeys', { name: 'more', response: own.create(options) })
    expect(taken.status).toBe(401)
    expect((await ada.get('/user/passkeys')).body).toHaveLength(1)
  })
})

describe('proves who signs', () => {
  test('by a passkey of its own user', async () => {
    await portal.pass('11 minutes')
    expect((await ada.post('/user/passkeys/options')).body.code).toBe('PROOF_REQUIRED')
    const { body: options } = await ada.post('/proof/passkey-options')
    expect(options.allowCredentials).toMatchObject([{ id: own.id }])
    const proved = await ada.post('/proof/passkey', { response: own.sign(options) })
    expect(proved).toMatchObject({ status: 200, body: { provedUntil: expect.any(String) } })
    expect((await ada.post('/user/passkeys/options')).status).toBe(200)
  })

  test('not by a challenge that was made to add one, nor the other way round', async () => {
    const [{ body: adding }, { body: proving }] = [
      await ada.post('/user/passkeys/options'),
      await ada.post('/proof/passkey-options'),
    ]
    expect(await ada.post('/proof/passkey', { response: own.sign(adding) })).toMatchObject(REFUSED)
    const response = createAuthenticator(SITE).create(proving)
    expect(await ada.post('/user/passkeys', { name: 'more', response })).toMatchObject(REFUSED)
  })

  test("not by another's", async () => {
    const { user: eve, authenticator } = await userWithPasskey()
    await portal.pass('11 minutes')
    const { body: options } = await ada.post('/proof/passkey-options')
    expect(await ada.post('/proof/passkey', { response: authenticator.sign(options) })).toMatchObject(REFUSED)
    const { body: renewed } = await ada.post('/proof/passkey-options')
    expect(await eve.post('/proof/passkey', { response: authenticator.sign(renewed) })).toMatchObject(REFUSED)
    expect((await ada.post('/user/passkeys/options')).body.code).toBe('PROOF_REQUIRED')
  })
})
