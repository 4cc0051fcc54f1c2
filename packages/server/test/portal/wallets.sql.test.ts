import { generateKeyPairSync, sign } from 'node:crypto'
import { base58 } from '@scure/base'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { parseSiweMessage } from 'viem/siwe'
import { beforeEach, expect, test } from 'vitest'
import { started } from '../started.ts'
import { startPortal, type TestPortal } from './portal-service.ts'
import type { Visitor } from './visitor.ts'

const REFUSED = { status: 401, body: { code: 'UNAUTHORIZED', detail: 'The signature was not accepted' } }

type User = Awaited<ReturnType<TestPortal['signedInUser']>>
type Wallet = { address: string; sign(text: string): Promise<string> }

let ada: User
let wallet: Wallet
let users = 0

// No node: keys do not need one.
const portal = await started(startPortal({ endpoints: { ethereum: ['http://127.0.0.1:9'] } }))

beforeEach(async () => {
  await portal.pass('0')
  users += 1
  ada = await portal.signedInUser(`user ${users}`)
  wallet = evmWallet()
  expect((await link(ada, wallet)).status).toBe(201)
})

function evmWallet(): Wallet {
  const account = privateKeyToAccount(generatePrivateKey())
  return { address: account.address, sign: (message) => account.signMessage({ message }) }
}

function solanaWallet(): Wallet {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    address: base58.encode(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')),
    sign: async (text) => base58.encode(sign(null, Buffer.from(text), privateKey)),
  }
}

const textFrom = async (visitor: Visitor, path: string, address: string): Promise<string> =>
  (await visitor.post(path, { address })).body.text
const linkText = (user: Visitor, address: string) => textFrom(user, '/user/wallets/challenge', address)
const signInText = (address: string) => textFrom(portal.visit(), '/sign-in/wallet-challenge', address)

async function link(user: Visitor, { address, sign }: Wallet) {
  const text = await linkText(user, address)
  return user.post('/user/wallets', { address, text, signature: await sign(text) })
}

const signIn = async ({ address, sign }: Wallet, text: string) =>
  portal.visit().post('/sign-in/wallet', { address, text, signature: await sign(text) })

test.each([
  [
    'an EVM wallet',
    evmWallet,
    /^coffer\.example wants you to sign in with your Ethereum account:\n0x[0-9a-fA-F]{40}\n/,
  ],
  ['a Solana wallet', solanaWallet, /^coffer\.example wants you to sign in with your Solana account:\n\w{32,44}\n/],
])('%s that is linked signs its user in', async (_name, make, begins) => {
  const own = make()
  expect(await signIn(own, await signInText(own.address))).toMatchObject(REFUSED)
  const linked = await link(ada, own)
  expect([linked.status, linked.body.address.toLowerCase()]).toEqual([201, own.address.toLowerCase()])
  const text = await signInText(own.address)
  expect(text).toMatch(begins)
  const answer = await signIn(own, text)
  expect(answer).toMatchObject({ status: 200, body: { user: { id: ada.id } } })
  expect(answer.headers.getSetCookie()).toHaveLength(1)
  const { body } = await ada.get('/user/wallets')
  expect(body[1]).toEqual({ ...linked.body, createdAt: expect.any(String), lastUsedAt: expect.any(String) })
})

test('a linked wallet proves who its user is, and no other user or session', async () => {
  const prove = async (user: Visitor, { address, sign }: Wallet) => {
    const text = await textFrom(user, '/proof/wallet-challenge', address)
    return user.post('/proof/wallet', { address, text, signature: await sign(text) })
  }
  const [eve, evesWallet] = [await portal.signedInUser(`Eve ${users}`), evmWallet()]
  await link(eve, evesWallet)
  expect((await ada.get('/session')).body.user).toMatchObject({ wallets: 1, hasPassword: false, passkeys: 0 })
  await portal.pass('11 minutes')
  const begin = () => ada.post('/user/wallets/challenge', { address: wallet.address })
  expect(await begin()).toMatchObject({ status: 403, body: { code: 'PROOF_REQUIRED' } })

  const before = ada.cookie()
  expect(await prove(ada, evesWallet)).toMatchObject(REFUSED)
  const forSignIn = await signInText(wallet.address)
  const forEve = await textFrom(eve, '/proof/wallet-challenge', wallet.address)
  for (const text of [forSignIn, forEve]) {
    const signed = { address: wallet.address, text, signature: await wallet.sign(text) }
    expect(await ada.post('/proof/wallet', signed)).toMatchObject(REFUSED)
  }
  expect((await begin()).status).toBe(403)

  const proved = await prove(ada, wallet)
  expect(proved).toMatchObject({ status: 200, body: { provedUntil: expect.any(String) } })
  expect((await begin()).status).toBe(200)
  expect(ada.cookie()).toBe(before)
  expect((await eve.get('/session')).body.provedUntil).toBeNull()
  expect(await portal.visit().post('/proof/wallet-challenge', { address: wallet.address })).toMatchObject({
    status: 401,
  })
})

test('the text says to which site, for which account and for how long', async () => {
  const { issuedAt, expirationTime, ...said } = parseSiweMessage(await signInText(wallet.address.toLowerCase()))
  expect(said).toEqual({
    ...{ domain: 'coffer.example', uri: 'https://coffer.example', version: '1', chainId: 1 },
    ...{ address: wallet.address, nonce: expect.stringMatching(/^[0-9a-f]{32}$/) },
    statement: 'Sign in to Coffer. It moves nothing and costs nothing.',
  })
  expect(Number(expirationTime) - Number(issuedAt)).toBe(300_000)
})

test('a text is good once, for five minutes, and as it was made', async () => {
  const text = await signInText(wallet.address)
  expect((await signIn(wallet, text)).status).toBe(200)
  expect(await signIn(wallet, text)).toMatchObject(REFUSED)
  expect(await signIn(wallet, `${await signInText(wallet.address)} `)).toMatchObject(REFUSED)
  const late = await signInText(wallet.address)
  await portal.pass('5 minutes 1 second')
  expect(await signIn(wallet, late)).toMatchObject(REFUSED)
})

test('of one signature that comes many times at once one signs in', async () => {
  const text = await signInText(wallet.address)
  const answers = await Promise.all(Array.from({ length: 5 }, () => signIn(wallet, text)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401])
})

test('a text for one thing, one wallet or one user is good for no other', async () => {
  const [eve, other] = [await portal.signedInUser(`Eve ${users}`), evmWallet()]
  await link(eve, other)
  expect(await signIn(wallet, await linkText(ada, wallet.address))).toMatchObject(REFUSED)
  expect(await signIn(wallet, await signInText(other.address))).toMatchObject(REFUSED)
  const own = evmWallet()
  const text = await linkText(ada, own.address)
  const signed = { address: own.address, text, signature: await own.sign(text) }
  expect(await eve.post('/user/wallets', signed)).toMatchObject(REFUSED)
  const forSignIn = await signInText(own.address)
  const wrong = { address: own.address, text: forSignIn, signature: await own.sign(forSignIn) }
  expect(await ada.post('/user/wallets', wrong)).toMatchObject(REFUSED)
  expect((await ada.post('/user/wallets', signed)).status).toBe(201)
})

test("another key's signature, or an invalid one, signs no user in and links nothing", async () => {
  const other = evmWallet()
  for (const signature of [await other.sign('x'), '0x', `0x${'0'.repeat(130)}`, 'nonsense']) {
    const [text, toLink] = [await signInText(wallet.address), await linkText(ada, other.address)]
    const { address } = wallet
    expect(await portal.visit().post('/sign-in/wallet', { address, text, signature })).toMatchObject(REFUSED)
    const linking = { address: other.address, text: toLink, signature }
    // A contract might have signed this, which only a node can tell.
    const mayBeContract = /^0x[0-9a-f]{2,}$/.test(signature)
    expect(await ada.post('/user/wallets', linking)).toMatchObject(mayBeContract ? { status: 502 } : REFUSED)
    portal.nextMinute()
  }
  const text = await signInText(wallet.address)
  const signature = await other.sign(text)
  expect(await portal.visit().post('/sign-in/wallet', { address: wallet.address, text, signature })).toMatchObject(
    REFUSED,
  )
})

test("a wallet is one user's, and no other user takes it away", async () => {
  const eve = await portal.signedInUser(`Eve ${users}`)
  expect(await link(eve, wallet)).toMatchObject({ status: 400, body: { detail: 'address: is linked already' } })
  expect((await eve.remove(`/user/wallets/${wallet.address}`)).status).toBe(404)
  const text = await signInText(wallet.address)
  await portal.givePassword(ada.id)
  expect((await ada.remove(`/user/wallets/${wallet.address}`)).status).toBe(200)
  expect(await signIn(wallet, text)).toMatchObject(REFUSED)
  expect((await link(eve, wallet)).status).toBe(201)
})

test('wrong signatures do not keep the owner of a wallet out', async () => {
  const text = await signInText(wallet.address)
  const outsider = { address: wallet.address, sign: evmWallet().sign }
  for (let attempt = 1; attempt <= 6; attempt += 1) expect(await signIn(outsider, text)).toMatchObject(REFUSED)
  expect((await signIn(wallet, await signInText(wallet.address))).status).toBe(200)
})

test('an address that signs nothing is refused', async () => {
  for (const address of ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', '0x12', 'nonsense', 'virtual:1']) {
    expect(await portal.visit().post('/sign-in/wallet-challenge', { address })).toMatchObject({
      status: 400,
      body: { detail: 'address: is not a wallet that can sign in' },
    })
  }
})

test('where its user has codes, one is asked for, and the signature waits for it', async () => {
  const { body } = await ada.post('/user/totp')
  const { totpCode } = await import('../../src/features/portal-users/totp.ts')
  const { base32nopad } = await import('@scure/base')
  const code = (steps: number) =>
    totpCode(Buffer.from(base32nopad.decode(body.secret)), Math.floor(Date.now() / 30_000) + steps)
  expect((await ada.post('/user/totp/confirm', { code: code(0) })).status).toBe(200)
  const text = await signInText(wallet.address)
  const signed = { address: wallet.address, text, signature: await wallet.sign(text) }
  const answer = await portal.visit().post('/sign-in/wallet', signed)
  expect(answer).toMatchObject({ status: 401, body: { needsCode: true } })
  expect((await portal.visit().post('/sign-in/wallet', { ...signed, code: code(1) })).status).toBe(200)
})
