import { concat, getContractAddress, type Hex, keccak256, serializeErc6492Signature, zeroHash } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeEach, expect, test } from 'vitest'
import { compileContractWallets, deploy, walletOf } from '../contract-wallets.ts'
import { startLocalNode } from '../local-node.ts'
import { started } from '../started.ts'
import { startPortal, type TestPortal } from './portal-service.ts'
import type { Visitor } from './visitor.ts'

/** At the same address on every chain. */
const FACTORY = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
const REFUSED = { status: 401, body: { code: 'UNAUTHORIZED', detail: 'The signature was not accepted' } }

const owner = privateKeyToAccount(generatePrivateKey())
const outsider = privateKeyToAccount(generatePrivateKey())
const code = compileContractWallets()
const [ETHEREUM, BASE, UNREAD] = ['1', '8453', '137']

let ada: Awaited<ReturnType<TestPortal['signedInUser']>>
let users = 0

const [ethereum, base] = [await started(startLocalNode()), await started(startLocalNode())]
await base.send('anvil_setChainId', Number(BASE))
/** The owner's on Ethereum. The same address on Base belongs to another party. */
const wallet = await deploy(ethereum, walletOf(owner.address, code['Wallet']))
expect(await deploy(base, walletOf(outsider.address, code['Wallet']))).toBe(wallet)
const portal = await started(
  startPortal({
    endpoints: { ethereum: [ethereum.url], base: [base.url] },
  }),
)

beforeEach(async () => {
  await portal.pool.query('truncate portal_wallet')
  users += 1
  ada = await portal.signedInUser(`user ${users}`)
})

type Sign = (text: string) => Promise<string>
const by =
  (account: typeof owner): Sign =>
  (message) =>
    account.signMessage({ message })

type Wanted = { address?: string; chainId?: string; sign?: Sign }

async function ask(visitor: Visitor, [challenge, path]: readonly [string, string], wanted: Wanted) {
  const { address = wallet, chainId = ETHEREUM, sign = by(owner) } = wanted
  portal.nextMinute()
  const { text } = (await visitor.post(challenge, { address, chainId })).body
  return visitor.post(path, { address, text, signature: await sign(text) })
}
const link = (wanted: Wanted = {}, user: Visitor = ada) =>
  ask(user, ['/user/wallets/challenge', '/user/wallets'], wanted)
const signIn = (wanted: Wanted = {}) => ask(portal.visit(), ['/sign-in/wallet-challenge', '/sign-in/wallet'], wanted)

test('a contract whose owner signs is linked and signs in, and no other signer does with it', async () => {
  expect(await signIn()).toMatchObject(REFUSED)
  expect(await link({ sign: by(outsider) })).toMatchObject(REFUSED)
  expect(await link()).toMatchObject({ status: 201, body: { address: wallet } })
  expect(await signIn()).toMatchObject({ status: 200, body: { user: { id: ada.id } } })
  for (const sign of [by(outsider), async () => '0x', async () => '0x1626ba7e', async () => 'nonsense']) {
    expect(await signIn({ sign })).toMatchObject(REFUSED)
  }
  expect((await portal.audited('linked a wallet')).at(-1)?.detail).toEqual({ address: wallet, chain: 'ethereum' })
})

test('the text names the chain that the wallet shows, where that is read', async () => {
  const textOn = async (chainId?: string) =>
    (await portal.visit().post('/sign-in/wallet-challenge', { address: wallet, chainId })).body.text
  expect(await textOn(BASE)).toContain('\nChain ID: 8453\n')
  expect(await textOn(UNREAD)).toContain('\nChain ID: 1\n')
  expect(await textOn()).toContain('\nChain ID: 1\n')
  const wrong = await portal.visit().post('/sign-in/wallet-challenge', { address: wallet, chainId: '0x1' })
  expect(wrong.status).toBe(400)
})

test('it signs in on the chain on which it was linked: at its address elsewhere stands another contract', async () => {
  expect((await link()).status).toBe(201)
  expect(await signIn({ chainId: BASE, sign: by(outsider) })).toMatchObject(REFUSED)
  expect(await signIn({ chainId: BASE })).toMatchObject(REFUSED)
  expect(await signIn({ sign: by(outsider) })).toMatchObject(REFUSED)
  expect((await signIn()).status).toBe(200)
})

test('a wallet that was linked by its key signs in by its key, whatever a contract says there later', async () => {
  const key = privateKeyToAccount(generatePrivateKey())
  expect((await link({ address: key.address, sign: by(key) })).status).toBe(201)
  const agrees = await ethereum.send<Hex>('eth_getCode', await deploy(ethereum, code['Agrees'] ?? '0x'), 'latest')
  await ethereum.send('anvil_setCode', key.address, agrees)
  expect(await signIn({ address: key.address, sign: by(outsider) })).toMatchObject(REFUSED)
  expect((await signIn({ address: key.address, sign: by(key) })).status).toBe(200)
})

test('a contract that agrees to everything speaks for itself alone', async () => {
  expect((await link()).status).toBe(201)
  const liar = await deploy(ethereum, code['Agrees'] ?? '0x')
  const eve = await portal.signedInUser(`Eve ${users}`)
  expect((await link({ address: liar, sign: by(outsider) }, eve)).status).toBe(201)
  expect(await signIn({ sign: by(outsider) })).toMatchObject(REFUSED)
  expect(await signIn({ address: liar, sign: by(outsider) })).toMatchObject({
    status: 200,
    body: { user: { id: eve.id } },
  })
})

test.each(Object.keys(code).filter((name) => !['Wallet', 'Agrees'].includes(name)))(
  'a contract that answers as %s does links nothing',
  async (name) => {
    const address = await deploy(ethereum, code[name] ?? '0x')
    expect(await link({ address })).toMatchObject(REFUSED)
  },
)

test('a wallet that is yet to be made is linked and signs in', async () => {
  const creation = walletOf(owner.address, code['Wallet'])
  const address = getContractAddress({
    ...{ opcode: 'CREATE2', from: FACTORY, salt: zeroHash, bytecodeHash: keccak256(creation) },
  }).toLowerCase()
  const wrapped =
    (sign: Sign): Sign =>
    async (text) =>
      serializeErc6492Signature({
        ...{ address: FACTORY, data: concat([zeroHash, creation]), signature: (await sign(text)) as Hex },
      })
  expect(await link({ address, sign: wrapped(by(outsider)) })).toMatchObject(REFUSED)
  expect((await link({ address, sign: wrapped(by(owner)) })).status).toBe(201)
  expect(await signIn({ address, sign: wrapped(by(outsider)) })).toMatchObject(REFUSED)
  expect((await signIn({ address, sign: wrapped(by(owner)) })).status).toBe(200)
})

test('a node that is down is reported as such, and keys work without it', async () => {
  expect((await link()).status).toBe(201)
  const key = privateKeyToAccount(generatePrivateKey())
  expect((await link({ address: key.address, sign: by(key) })).status).toBe(201)
  await ethereum.stop()
  const answer = await signIn()
  expect(answer).toMatchObject({
    status: 502,
    body: {
      code: 'UPSTREAM_UNAVAILABLE',
      detail: 'No node of ethereum could check the signature with the contract of the wallet: try again',
    },
  })
  expect(answer.text).not.toMatch(/http:|127\.0\.0\.1/)
  expect((await signIn({ address: key.address, sign: by(key) })).status).toBe(200)
})
