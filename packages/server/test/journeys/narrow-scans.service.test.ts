import { type Devnet, devnetConfig, startDevnet } from '@coffer/devnet'
import { type Address, encodeFunctionData, erc20Abi, parseAbi, parseEther, parseUnits } from 'viem'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { type EvmAddress, evmAddress } from '../../src/domain/evm-address.ts'
import { startService, type TestService, testClock } from '../harness.ts'
import { nodeAt } from '../local-node.ts'
import { seededRandom } from '../random.ts'
import { type RpcCall, type RpcProxy, startRpcProxy } from '../rpc-proxy.ts'
import { balanceSlot, placeContracts, testAddress, word } from '../test-tokens.ts'

// A wallet whose logs are known is asked only for tokens that it may hold. It is always shown with what it has.

/** Longer than an answer is fresh. */
const NOT_FRESH_MS = 61_000
const DAY_MS = 24 * 3_600_000
/** Longer than an endpoint that failed to serve logs is not asked for them. */
const LATER_MS = 7 * 3_600_000
const STEPS = inject('deep') ? 200 : 25
const DEPOSIT = '0xd0e30db0'
const MINT = parseAbi(['function mint(address to, uint256 amount)'])

const random = seededRandom('narrow scans')
const clock = testClock()
/** Tokens of a list that log what is minted. */
const loud = Array.from({ length: 40 }, (_, i) => testAddress(11, i + 1))
/** Tokens that log nothing: a wrapped coin by its name, and one that no one knows to be so. */
const [wrapped, mute] = [testAddress(12, 1), testAddress(12, 2)]
const listed = [
  ...loud.map((address, i) => ({ address, symbol: `T${i}` })),
  { address: wrapped, symbol: 'WXYZ' },
  { address: mute, symbol: 'MUTE' },
]
let devnet: Devnet
let proxy: RpcProxy
let service: TestService
let held: readonly EvmAddress[]

beforeAll(async () => {
  devnet = await startDevnet({ state: inject('devnetState') })
  const { tokens } = devnet.chains.ethereum.addresses
  held = [
    ...listed.map(({ address }) => address),
    ...[tokens.usdc, tokens.dai, tokens.uni, tokens.weth].map(evmAddress),
  ]
  await placeContracts(nodeAt(devnet.chains.ethereum.url), [
    ...loud.map((address) => ({ address, code: 'mintable' as const })),
    ...[wrapped, mute].map((address) => ({ address, code: 'token' as const })),
  ])
  proxy = await startRpcProxy(devnet.chains.ethereum.url)
  const config = devnetConfig()
  const own = listed.map((token) => ({ chain: 'ethereum', ...token, name: `Token ${token.symbol}`, decimals: 18 }))
  const protocols = config.protocols.filter(({ chain }) => chain === 'ethereum')
  service = await startService({
    endpoints: { ethereum: [proxy.url] },
    config: { tokens: [...config.tokens, ...own], protocols },
    clock,
  })
})
afterAll(async () => {
  await service?.stop()
  await proxy?.stop()
  await devnet?.stop()
})
afterEach(() => {
  late.resolve()
  late = Promise.withResolvers()
  proxy.reset()
  clock.advance(LATER_MS)
})

const set = (token: EvmAddress, wallet: Address, amount: bigint) =>
  nodeAt(devnet.chains.ethereum.url).sendAll([
    ['anvil_setStorageAt', token, balanceSlot(evmAddress(wallet)), word(amount)],
    ['anvil_mine', '0x1'],
  ])
const mint = (token: Address, wallet: Address, amount: bigint) =>
  devnet.chains.ethereum.actions.erc20.mint(token, wallet, amount)

/** What a wallet is shown to hold of the listed tokens, and what the chain says at the block of the answer. */
async function read(wallet: Address) {
  clock.advance(NOT_FRESH_MS)
  await proxy.answered()
  const query = { addresses: wallet, waitForSync: true }
  const [portfolio] = await service.client.getPortfolio({ query })
  const blockNumber = BigInt(portfolio?.asOf['ethereum']?.block ?? 0)
  const assets = new Map(
    portfolio?.assetByProtocols['wallet']?.assets.map(({ contract, balance }) => [contract, balance]),
  )
  const { client } = devnet.chains.ethereum
  const of = { abi: erc20Abi, functionName: 'balanceOf', args: [wallet], blockNumber } as const
  const balances = await Promise.all(held.map((address) => client.readContract({ address, ...of })))
  const isUsdc = (token: EvmAddress) => token === evmAddress(devnet.chains.ethereum.addresses.tokens.usdc)
  const shown = held.map((token) => parseUnits(assets.get(token) ?? '0', isUsdc(token) ? 6 : 18))
  return { shown, balances, incomplete: portfolio?.incomplete }
}

/** Whether the last calls asked for a token. */
const isAsked = (token: EvmAddress) =>
  proxy.calls().some(({ method, params }) => method === 'eth_call' && JSON.stringify(params).includes(token.slice(2)))

/** Reads until one is narrow: logs may be late on a busy machine. */
async function readNarrow(wallet: Address, never: EvmAddress) {
  let last: Awaited<ReturnType<typeof read>> | undefined
  const isNarrow = async () => {
    proxy.reset()
    last = await read(wallet)
    expect(last.shown).toEqual(last.balances)
    return !isAsked(never)
  }
  await expect.poll(isNarrow).toBe(true)
  return last
}

/** A token that the wallet never has to do with, as every wallet of these tests leaves it alone. */
const never = testAddress(11, 40)
const some = () => random.pick(loud.slice(0, -1))

/** A wallet that was scanned for everything, and whose logs are known. */
async function known(): Promise<Address> {
  const wallet = random.address()
  await devnet.chains.ethereum.actions.native.give(wallet, parseEther('10'))
  await mint(some(), wallet, parseEther('1'))
  await read(wallet)
  await readNarrow(wallet, never)
  return wallet
}

test('whatever comes and goes, a wallet shows what the chain says, and is asked for what it may hold alone', async () => {
  const { ethereum } = devnet.chains
  const { tokens } = ethereum.addresses
  const wallet = await known()
  const steps: readonly (() => Promise<unknown>)[] = [
    () => mint(some(), wallet, random.amount(1n, parseEther('1000'))),
    () => mint(some(), wallet, 0n),
    () => mint(random.pick([tokens.usdc, tokens.dai, tokens.uni]), wallet, random.amount(1n, parseUnits('1000', 6))),
    () => ethereum.send({ from: wallet, to: tokens.weth, data: DEPOSIT, value: random.amount(1n, parseEther('0.1')) }),
    () => set(wrapped, wallet, random.amount(0n, parseEther('5'))),
    () => ethereum.client.mine({ blocks: 1 + random.index(80) }),
  ]
  let narrow = 0
  for (let step = 0; step < STEPS; step += 1) {
    for (let left = random.index(3); left >= 0; left -= 1) await random.pick(steps)()
    proxy.reset()
    const { shown, balances } = await read(wallet)
    expect(shown, `step ${step}`).toEqual(balances)
    if (!isAsked(never)) narrow += 1
  }
  await readNarrow(wallet, never)
  console.info(`${narrow} of ${STEPS} reads were narrow`)
}, 3_600_000)

test('a token that moves without a log, and is not known to, is shown within a day, and by then at once', async () => {
  const first = await known()
  await set(mute, first, 7n)
  proxy.reset()
  clock.advance(DAY_MS)
  const { shown, balances } = await read(first)
  expect([shown, isAsked(never)]).toEqual([balances, true])
  await set(mute, first, 8n)
  await readNarrow(first, never)
  // From then on every wallet of the chain is asked for it.
  const second = await known()
  await set(mute, second, 9n)
  await readNarrow(second, never)
})

test('a token that another fork gave in blocks that were searched is shown', async () => {
  const { client, url } = devnet.chains.ethereum
  const wallet = await known()
  const [given] = loud.filter((token) => !isAsked(token))
  const data = encodeFunctionData({ abi: MINT, functionName: 'mint', args: [wallet, 7n] })
  const minted = { from: devnet.wallets.demo.address, to: given, data, gas: '0x30d40', gasPrice: '0x0' }
  await client.mine({ blocks: 40 })
  // Something to keep, so that the search is stored up to here.
  await mint(some(), wallet, 1n)
  for (let times = 0; times < 2; times += 1) await readNarrow(wallet, never)
  await nodeAt(url).send('anvil_reorg', 30, [[minted, 0]])
  proxy.reset()
  const { shown, balances } = await read(wallet)
  expect(shown).toEqual(balances)
  expect(balances).toContain(7n)
})

/** Opened at the end of each test. */
let late = Promise.withResolvers<void>()
const LOGS = { when: ({ method }: RpcCall) => method === 'eth_getLogs' }
const answering = (result: unknown) => (envelope: Record<string, unknown>) => ({ ...envelope, result })
const BEHIND = new Set(['eth_blockNumber', 'eth_getLogs'])
const asBehind = (envelope: Record<string, unknown>, { method }: RpcCall) =>
  answering(method === 'eth_getLogs' ? [] : '0x1')(envelope)
const FAULTS = {
  'are refused': { ...LOGS, fault: { error: { code: -32_000, message: 'aborted' } } },
  'are of a node that is behind': { when: ({ method }: RpcCall) => BEHIND.has(method), fault: { answer: asBehind } },
  'are late': { ...LOGS, fault: { before: () => late.promise } },
}

test.for(Object.entries(FAULTS))('where logs %s everything is asked', async ([, rule]) => {
  const wallet = await known()
  await mint(never, wallet, 5n)
  proxy.reset()
  proxy.add(rule)
  const { shown, balances } = await read(wallet)
  expect([shown, isAsked(never)]).toEqual([balances, true])
  await mint(never, wallet, 0n)
})

test('after logs were late everything is asked in one wave, until some minutes have passed', async () => {
  const wallet = await known()
  proxy.reset()
  proxy.add(FAULTS['are late'])
  await read(wallet)
  late.resolve()
  await proxy.answered()
  proxy.reset()
  await read(wallet)
  expect(isAsked(never)).toBe(true)
  expect(proxy.calls().filter(({ method, params }) => method === 'eth_call' && params[1] !== 'latest')).toEqual([])
  await readNarrow(wallet, never)
})

test('logs that come late are found at the next read, and the node is not trusted with them again', async () => {
  const wallet = await known()
  const late = random.pick(loud.slice(0, -1).filter((token) => !isAsked(token)))
  await mint(late, wallet, 5n)
  proxy.reset()
  proxy.add({ ...LOGS, fault: { answer: answering([]) } })
  await read(wallet)
  proxy.reset()
  const found = await read(wallet)
  expect(found.shown).toEqual(found.balances)
  proxy.reset()
  const { shown, balances } = await read(wallet)
  expect([shown, isAsked(never)]).toEqual([balances, true])
})
