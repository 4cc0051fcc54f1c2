import type { Address } from '@solana/kit'
import { expect, test } from 'vitest'
import type { Fault, RpcCall } from '../../../../test/rpc-proxy.ts'
import { startCluster } from '../../../../test/solana/cluster.ts'
import { readFinalWallet } from '../activity/final-wallet.ts'
import { createSolanaReader } from './solana-reader.ts'

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const STAKE = 'Stake11111111111111111111111111111111111111'
const CONFIG_LIKE = 'StakeConfig11111111111111111111111111111111' as Address

/** More than a double can represent exactly. */
const LAMPORTS = 90_000_000_000_000_001n

const { devnet, proxy, poolOf, openReader: open, walletWith } = await startCluster()
const wallet = await walletWith('reader', LAMPORTS)
proxy.reset()
const addressesOfMany = (length: number) =>
  Promise.all(Array.from({ length }, async (_, i) => (await devnet.keypair(`of many ${i}`)).address))

test('accounts of one tick leave together, each once; amounts beyond a double are exact', async () => {
  const reader = open()
  const other = await devnet.keypair('nobody')
  const [[found, none], clock, [again]] = await Promise.all([
    reader.accounts([wallet.address, other.address]),
    reader.clock(),
    reader.accounts([wallet.address]),
  ])
  expect(found?.lamports).toBe(LAMPORTS)
  expect(none).toBeNull()
  expect(again).toBe(found)
  expect(clock.slot).toBeGreaterThan(0n)
  expect(proxy.calls().map(({ method }) => method)).toEqual(['getMultipleAccounts'])
})

test('more than a hundred accounts are read in as many calls as it takes', async () => {
  const addresses = await addressesOfMany(230)
  const found = await open().accounts([...addresses, wallet.address])
  expect(found).toHaveLength(231)
  expect(found[230]?.lamports).toBe(LAMPORTS)
  expect(proxy.requests()).toBe(1)
  expect(proxy.calls()).toHaveLength(3)
})

test('token accounts of both programs, frozen and empty ones too', async () => {
  const { mints, tokens } = devnet.actions
  const usdc = mints.place(USDC as Parameters<typeof mints.place>[0], { decimals: 6 })
  const young = await mints.create(await devnet.keypair('young mint'), { decimals: 2, extensions: [] })
  const empty = await mints.create(await devnet.keypair('empty mint'), { decimals: 0 })
  await tokens.mint(usdc, wallet.address, 2n ** 64n - 1n)
  await tokens.mint(young, wallet.address, 5n)
  await tokens.freeze(young, wallet.address)
  await tokens.open(empty, wallet)
  const found = await open().tokenAccounts(wallet.address)
  const facts = new Map(found.map(({ mint, amountRaw, frozen, program }) => [mint, { amountRaw, frozen, program }]))
  expect(facts).toEqual(
    new Map([
      [USDC, { amountRaw: 2n ** 64n - 1n, frozen: false, program: usdc.program }],
      [young.mint, { amountRaw: 5n, frozen: true, program: young.program }],
      [empty.mint, { amountRaw: 0n, frozen: false, program: empty.program }],
    ]),
  )
})

test('a later batch asks for no older slot, and leaves a node that lags', async () => {
  const reader = open(proxy.url, devnet.url)
  const first = await reader.clock()
  proxy.add({
    when: ({ params }) => (params[1] as { minContextSlot?: number }).minContextSlot !== undefined,
    fault: { error: { code: -32016, message: 'Minimum context slot has not been reached' } },
  })
  const [found] = await reader.accounts([STAKE])
  expect(found?.address).toBe(STAKE)
  const asked = proxy.calls().at(-1)?.params[1] as { minContextSlot: number }
  expect(BigInt(asked.minContextSlot)).toBeGreaterThanOrEqual(first.slot)
})

test('a node that ignores the least slot and answers an older one is left as well', async () => {
  const reader = open(proxy.url, devnet.url)
  await reader.clock()
  proxy.add({
    fault: {
      params: ([accounts, config]) => [accounts, { ...(config as object), minContextSlot: undefined }],
      answer: (envelope) => ({ ...envelope, result: { ...(envelope['result'] as object), context: { slot: 0 } } }),
    },
  })
  const before = proxy.calls().length
  const [found] = await reader.accounts([STAKE])
  expect(found?.address).toBe(STAKE)
  expect(proxy.calls().length).toBe(before + 1)
})

test('a search that a node does not offer is not asked for again, and another node is asked', async () => {
  proxy.add({
    when: ({ method }) => method === 'getProgramAccounts',
    fault: { error: { code: -32010, message: `${STAKE} excluded from account secondary indexes` } },
  })
  const pool = poolOf()
  const filters = [{ dataSize: 200 }, { offset: 44, bytes: wallet.address }]
  for (let i = 0; i < 3; i += 1) {
    await expect(createSolanaReader(pool).programAccounts(STAKE, filters)).rejects.toMatchObject({
      reason: 'not-allowed',
    })
  }
  // The search, and one of the same form that finds nothing.
  expect(proxy.calls()).toHaveLength(2)
  expect(await open(proxy.url, devnet.url).programAccounts(STAKE, filters)).toEqual([])
})

test.each<[string, Fault]>([
  ['in JSON-RPC', { error: { code: -32010, message: 'excluded from account secondary indexes; unavailable for key' } }],
  ['by a page', { raw: { status: 403, body: '<html><body>Forbidden</body></html>' } }],
])('searches that a node refuses for one account %s are made for others', async (_, fault) => {
  const other = (await devnet.keypair('refused')).address
  proxy.add({ when: ({ params }) => JSON.stringify(params).includes(other), fault })
  const pool = poolOf()
  const staked = (by: string) => createSolanaReader(pool).programAccounts(STAKE, [{ offset: 44, bytes: by }])
  await expect(createSolanaReader(pool).tokenAccounts(other)).rejects.toMatchObject({ reason: 'not-allowed' })
  await expect(readFinalWallet(pool, other)).rejects.toThrow()
  await expect(staked(other)).rejects.toMatchObject({ reason: 'not-allowed' })
  expect(pool.capabilities()[0]?.refused).toEqual({})
  const direct = await open(devnet.url).tokenAccounts(wallet.address)
  expect(await createSolanaReader(pool).tokenAccounts(wallet.address)).toEqual(direct)
  expect((await readFinalWallet(pool, wallet.address)).tokenAccounts).toHaveLength(direct.length)
  expect(await staked(wallet.address)).toEqual([])
})

const encodingOf = ({ params }: RpcCall) => (params.at(-1) as { encoding?: string }).encoding

test.each<[string, Fault]>([
  ['refuses the encoding', { error: { code: -32602, message: 'Invalid params: unknown variant `base64+zstd`' } }],
  ['refuses it by a code of its own', { error: { code: -32000, message: 'encoding' } }],
  [
    'writes down what is no zstd',
    {
      answer: (envelope) => {
        const result = envelope['result'] as { context: object; value: object[] }
        return { ...envelope, result: { ...result, value: result.value.map(spoiltZstd) } }
      },
    },
  ],
])('a node that %s is asked for base64, and for zstd not again', async (_, fault) => {
  proxy.add({ when: (call) => encodingOf(call) === 'base64+zstd', fault })
  const pool = poolOf()
  const [expected] = await open(devnet.url).accounts([wallet.address])
  for (let i = 0; i < 2; i += 1) {
    const [found] = await createSolanaReader(pool).accounts([wallet.address])
    expect(found).toEqual(expected)
  }
  expect(proxy.calls().map(encodingOf)).toEqual(['base64+zstd', 'base64', 'base64'])
})

const spoiltZstd = (account: object) => ({ ...account, data: ['AAAA', 'base64+zstd'] })

test('accounts in zstd are those in base64, in fewer bytes', async () => {
  const read = async () => {
    const [found] = await open().accounts([CONFIG_LIKE])
    return { found, bytes: proxy.largestAnswer() }
  }
  const data = new Uint8Array(4_000).fill(7, 1_000, 1_032)
  devnet.chain.setAccount(CONFIG_LIKE, { owner: STAKE as typeof CONFIG_LIKE, data, lamports: 1n })
  const short = await read()
  proxy.reset()
  proxy.add({
    when: (call) => encodingOf(call) === 'base64+zstd',
    fault: { error: { code: -32602, message: 'Invalid params' } },
  })
  const plain = await read()
  expect(short.found?.data).toEqual(Buffer.from(data))
  expect(plain.found).toEqual(short.found)
  // 4,000 bytes are 5,336 characters of base64, plus the rest of the answer.
  expect(plain.bytes).toBeGreaterThan(5_336)
  expect(short.bytes).toBeLessThan(500)
})

test('more accounts than one call takes are asked for in base64', async () => {
  const addresses = await addressesOfMany(101)
  await open().accounts(addresses.slice(0, 100))
  await open().accounts(addresses)
  expect(proxy.calls().map(encodingOf)).toEqual(['base64+zstd', 'base64', 'base64'])
})

test('token accounts that a node does not list are not asked for again, and another node is asked', async () => {
  proxy.add({
    when: ({ method }) => method === 'getTokenAccountsByOwner',
    fault: { error: { code: -32601, message: 'Method not found' } },
  })
  const pool = poolOf()
  for (let i = 0; i < 3; i += 1) {
    await expect(createSolanaReader(pool).tokenAccounts(wallet.address)).rejects.toMatchObject({
      reason: 'not-allowed',
    })
  }
  // Two of each token program: of the wallet, and of an unused address.
  expect(proxy.calls()).toHaveLength(4)
  const alone = await open()
    .tokenAccounts(wallet.address)
    .catch(({ message }: Error) => message)
  expect(alone).toBe('solana#1 does not offer getTokenAccountsByOwner')
  expect(await open(proxy.url, devnet.url).tokenAccounts(wallet.address)).toHaveLength(3)
})

test.each<[string, (account: Record<string, unknown>) => Record<string, unknown>]>([
  ['data that was cut short', (account) => ({ ...account, data: ['AAAA', 'base64'], space: 4_000 })],
  ['text that is no base64', (account) => ({ ...account, data: ['AAA', 'base64'] })],
  ['another encoding', (account) => ({ ...account, data: ['1111', 'base58'] })],
  ['lamports that are no integer', (account) => ({ ...account, lamports: 1.5 })],
  ['no owner', ({ owner: _, ...account }) => account],
])('an answer with %s is an error, never nothing', async (_, spoil) => {
  proxy.add({
    fault: {
      answer: (envelope) => {
        const result = envelope['result'] as { context: object; value: Record<string, unknown>[] }
        return { ...envelope, result: { ...result, value: result.value.map(spoil) } }
      },
    },
  })
  await expect(open().accounts([wallet.address])).rejects.toMatchObject({ name: 'UpstreamError', reason: 'invalid' })
})
