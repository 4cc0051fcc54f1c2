import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeEach, expect, test } from 'vitest'
import { removePasskey } from '../../src/features/portal-users/passkeys.ts'
import { takeWay } from '../../src/features/portal-users/sign-in-ways.ts'
import type { PortalCaller } from '../../src/http/gates.ts'
import { lockAwaited } from '../database.ts'
import { started } from '../started.ts'
import { createAuthenticator } from './authenticator.ts'
import { startIssuer } from './openid-provider.ts'
import { startPortal, type TestPortal } from './portal-service.ts'

const BACK = 'https://coffer.example/openid'
const LAST = {
  status: 409,
  body: { code: 'LAST_SIGN_IN', detail: 'This is your last way to sign in: add another one first' },
}

let ada: Awaited<ReturnType<TestPortal['signedInUser']>>
let users = 0

const issuer = await started(startIssuer())
issuer.serve(BACK)
const portal = await started(startPortal({ env: issuer.env }))

beforeEach(async () => {
  users += 1
  ada = await portal.signedInUser(`user ${users}`)
  issuer.become(`user${users}`)
})

/** Each adds a way to sign in. Returns the path of its removal. */
const ways = {
  async passkey() {
    const authenticator = createAuthenticator('https://coffer.example')
    const { body } = await ada.post('/user/passkeys/options')
    await ada.post('/user/passkeys', { name: 'laptop', response: authenticator.create(body) })
    return `/user/passkeys/${authenticator.id}`
  },
  async wallet() {
    const { address, signMessage } = privateKeyToAccount(generatePrivateKey())
    const { text } = (await ada.post('/user/wallets/challenge', { address })).body
    await ada.post('/user/wallets', { address, text, signature: await signMessage({ message: text }) })
    return `/user/wallets/${address}`
  },
  async account() {
    const { url } = (await ada.post('/user/identities')).body
    await ada.post('/sign-in/openid-return', { query: await issuer.visit(url, BACK) })
    const { body } = await ada.get('/user/identities')
    return `/user/identities/${body.at(-1).id}`
  },
}
const names = Object.keys(ways) as (keyof typeof ways)[]

async function left(): Promise<number> {
  const { rows } = await portal.pool.query<{ count: number }>(
    `select (select count(*) from portal_passkey where user_id = $1)::int + (select count(*) from portal_wallet
      where user_id = $1)::int + (select count(*) from portal_identity where user_id = $1)::int as count`,
    [ada.id],
  )
  return rows[0]?.count ?? 0
}

test.each(names)('the last %s stays', async (name) => {
  const way = await ways[name]()
  expect(await ada.remove(way)).toMatchObject(LAST)
  expect(await left()).toBe(1)
  await portal.givePassword(ada.id)
  expect((await ada.remove(way)).status).toBe(200)
  expect(await left()).toBe(0)
})

test.each(names.flatMap((one) => names.filter((other) => other !== one).map((other) => [one, other] as const)))(
  'a %s goes while there is a %s, which stays then',
  async (one, other) => {
    const [first, second] = [await ways[one](), await ways[other]()]
    expect((await ada.remove(first)).status).toBe(200)
    expect(await ada.remove(second)).toMatchObject(LAST)
    expect(await left()).toBe(1)
  },
)

test('of removals that come all at once one is refused', async () => {
  const paths = [
    await ways.passkey(),
    await ways.passkey(),
    await ways.wallet(),
    await ways.wallet(),
    await ways.account(),
  ]
  const answers = await Promise.all(paths.map((path) => ada.remove(path)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 409])
  expect(await left()).toBe(1)
  const removed = (await portal.audited()).filter(
    ({ user, action }) => user === `user ${users}` && /^(removed|unlinked)/.test(action),
  )
  expect(removed).toHaveLength(4)
})

test('of two removals the second waits for the first, and sees what it has left', async () => {
  await ways.passkey()
  await ways.passkey()
  const [one, other] = (await ada.get('/user/passkeys')).body
  const session = { userId: ada.id, userName: `user ${users}` }
  const caller = { session, from: { address: '127.0.0.1', agent: '' } } as PortalCaller
  const [held, first] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const taking = (id: string, meanwhile: () => Promise<void>) =>
    takeWay({ db: portal.db, issuer: null }, caller, 'passkey', async (trx, userId) => {
      const isGone = await removePasskey(trx, { userId, id })
      await meanwhile()
      return isGone ? { action: 'removed a passkey' } : undefined
    })
  const holding = taking(one.id, async () => {
    held.resolve()
    await first.promise
  })
  await Promise.race([held.promise, holding])
  const removals = Promise.allSettled([holding, taking(other.id, async () => undefined)])
  await lockAwaited(portal).finally(first.resolve)
  expect((await removals).map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(await left()).toBe(1)
})

test('an account of an issuer that the service takes no more is no way', async () => {
  const [account, wallet] = [await ways.account(), await ways.wallet()]
  await portal.pool.query(`update portal_identity set issuer = 'https://former.example' where user_id = $1`, [ada.id])
  expect((await ada.get('/user/identities')).body).toMatchObject([{ issuer: 'former.example', isUsable: false }])
  expect(await ada.remove(wallet)).toMatchObject(LAST)
  expect((await ada.remove(account)).status).toBe(200)
})

test("a missing entry, or another user's, is reported as such, also to a user with one way", async () => {
  const way = await ways.passkey()
  const eve = await portal.signedInUser(`Eve ${users}`)
  expect((await eve.remove(way)).status).toBe(404)
  expect((await ada.remove('/user/passkeys/nonsense')).status).toBe(404)
  expect(await left()).toBe(1)
})
