import { startDevnet } from '@coffer/devnet'
import { parseEther, parseUnits } from 'viem'
import { afterEach, expect, inject, test } from 'vitest'
import { patientFetch, startService, type TestService, testClock } from '../harness.ts'
import { nodeAt } from '../local-node.ts'
import { seededRandom } from '../random.ts'
import { type RpcCall, type Rule, startRpcProxy } from '../rpc-proxy.ts'
import { sized } from '../sized.ts'
import { started } from '../started.ts'
import { countTransactions, historyOf, letSyncAgain, spent, syncTransactions, undisturbedHistory } from '../sync.ts'

/** Two pages, and few enough that a sync takes a second or two. */
const TRANSACTIONS = 260
/** Longer than any pause of an endpoint after a failure. */
const AFTER_REST_MS = 130_000
const random = seededRandom('sync faults')

const services: TestService[] = []

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const proxy = await started(startRpcProxy(devnet.chains.ethereum.url))
const wallet = random.address()
await act(TRANSACTIONS)
const { actions, addresses } = devnet.chains.ethereum
await actions.aaveV3.supply(wallet, addresses.tokens.usdc, parseUnits('10', 6))

afterEach(async () => {
  proxy.reset()
  for (const service of services.splice(0)) await service.stop()
})

/** `count` transactions of the wallet, each in a separate block, after the two that pay for them. */
async function act(count: number): Promise<void> {
  const { actions, addresses, send } = devnet.chains.ethereum
  const { usdc, dai } = addresses.tokens
  const other = random.address()
  await actions.native.give(other, parseEther('100'))
  await send({ from: other, to: wallet, value: parseEther('100') })
  await actions.erc20.mint(usdc, wallet, parseUnits('100000', 6))
  for (let i = 2; i < count; i += 1) {
    const way = random.index(3)
    if (way === 0) await send({ from: wallet, to: other, value: BigInt(1 + random.index(1_000)) })
    else if (way === 1) await actions.erc20.transfer(usdc, wallet, other, BigInt(1 + random.index(1_000)))
    else await actions.erc20.mint(dai, wallet, BigInt(1 + random.index(1_000)))
  }
}

async function serviceAt(url: string, clock = testClock()): Promise<TestService> {
  const service = await startService({ endpoints: { ethereum: [url] }, clock })
  services.push(service)
  return service
}

/** Result of a service without faults and stored data, at the head of the chain. */
let undisturbed: { head: string; history: string[] } | undefined

async function fromNothing(): Promise<string[]> {
  const { hash: head } = await devnet.chains.ethereum.client.getBlock()
  if (undisturbed?.head === head) return undisturbed.history
  undisturbed = {
    head,
    history: await undisturbedHistory({ endpoints: { ethereum: [devnet.chains.ethereum.url] } }, wallet),
  }
  return undisturbed.history
}

const asksLogs = ({ method }: RpcCall) => method === 'eth_getLogs'
const widthOf = ({ params: [filter] }: RpcCall) => {
  const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string }
  return BigInt(toBlock) - BigInt(fromBlock) + 1n
}

async function cameToTheSame(service: TestService): Promise<void> {
  const found = await historyOf(service, wallet)
  expect(found.length).toBeGreaterThan(2 * 256)
  expect(found).toEqual(await fromNothing())
  expect(await spent(service)).toBe(1 + Math.ceil((await countTransactions(service, wallet)) / 250))
}

const DIALECTS: Record<string, { width: bigint; error: { code: number; message: string } }> = {
  'a count of results': {
    width: 100n,
    error: { code: -32005, message: 'query returned more than 10000 results. Try with this block range [0x1, 0x40].' },
  },
  'a size of the answer': {
    width: 200n,
    error: {
      code: -32602,
      message: 'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range',
    },
  },
  'a width': { width: 50n, error: { code: -32000, message: 'block range is too large, max is 50 blocks' } },
  'a range limit': { width: 500n, error: { code: -32600, message: 'eth_getLogs is limited to a 500 range' } },
  'no reason at all': { width: 64n, error: { code: -32603, message: 'Internal error' } },
}

/** `logs.chain.test.ts` takes the words of each provider. */
const dialects = Object.entries(DIALECTS).slice(sized({ small: -1, deep: 0 }))

test.each(dialects)('an endpoint that refuses wide ranges by %s', async (_, { width, error }) => {
  proxy.add({ when: (call) => asksLogs(call) && widthOf(call) > width, fault: { error } })
  const service = await serviceAt(proxy.url)
  expect(await syncTransactions(service, wallet)).toBe('done')
  await cameToTheSame(service)
})

test('an endpoint that answers no logs where any event is asked for', async () => {
  const asksAny = (call: RpcCall) => asksLogs(call) && (call.params[0] as { topics?: unknown[] }).topics?.[0] === null
  proxy.add({ when: asksAny, fault: { answer: (envelope) => ({ ...envelope, result: [] }) } })
  const service = await serviceAt(proxy.url)
  expect(await syncTransactions(service, wallet)).toBe('done')
  await cameToTheSame(service)
})

test('an endpoint that fails in the middle leaves what was found; the next call continues', async () => {
  const clock = testClock()
  const service = await serviceAt(proxy.url, clock)
  let calls = 0
  const later = () => {
    calls += 1
    return calls > 12
  }
  proxy.add({ when: later, fault: { raw: { status: 500, body: '' } } })
  expect(await syncTransactions(service, wallet)).toMatch(/^failed: /)
  const before = await spent(service)
  proxy.reset()
  clock.advance(AFTER_REST_MS)
  expect(await syncTransactions(service, wallet)).toBe('done')
  expect(before).toBeGreaterThan(0)
  expect(await historyOf(service, wallet)).toEqual(await fromNothing())
})

test.each(sized({ small: [12], deep: [4, 12] }))(
  'an endpoint that lacks the block of %i calls that list contracts of protocols',
  async (times) => {
    const service = await serviceAt(proxy.url)
    // Balances and prices are read at explicit blocks: they must not trigger a remaining fault.
    const lists = ({ method, params }: RpcCall) => method === 'eth_call' && params[1] === 'latest'
    proxy.add({ when: lists, times, fault: { error: { code: -32000, message: 'header not found' } } })
    let state: string
    do state = await syncTransactions(service, wallet)
    while (state.startsWith('failed: '))
    expect(state).toBe('done')
    const { db } = service.context.database
    const supplied = db.selectFrom('history_transaction').select(['type', 'protocol']).where('protocol', 'is not', null)
    expect(await supplied.execute()).toEqual([{ type: 'LEND', protocol: 'aave_v3' }])
    expect(await historyOf(service, wallet)).toEqual(await fromNothing())
  },
)

test.each(sized({ small: [7], deep: [1, 7, 64] }))(
  'a reorganisation %i blocks deep in the middle of a sync',
  async (depth) => {
    const node = nodeAt(devnet.chains.ethereum.url)
    const service = await serviceAt(proxy.url)
    // New transactions at the head, so that the wallet's own are replaced.
    await act(depth + 10)
    let reorganised = false
    const reorganise: Rule = {
      when: ({ method }) => method === 'eth_getTransactionByHash' || method === 'eth_getBlockReceipts',
      times: 1,
      fault: {
        async before() {
          if (reorganised) return
          reorganised = true
          await node.send('anvil_reorg', depth, [])
        },
      },
    }
    proxy.add(reorganise)
    for (;;) {
      const state = await syncTransactions(service, wallet)
      if (state === 'done') break
      expect(state).toMatch(/^failed: /)
    }
    expect(reorganised).toBe(true)
    expect(await historyOf(service, wallet)).toEqual(await fromNothing())
  },
)

test('a reorganisation between two syncs', async () => {
  const node = nodeAt(devnet.chains.ethereum.url)
  const service = await serviceAt(proxy.url)
  await act(30)
  expect(await syncTransactions(service, wallet)).toBe('done')
  await node.send('anvil_reorg', 20, [])
  await act(5)
  await letSyncAgain(service)
  expect(await syncTransactions(service, wallet)).toBe('done')
  expect(await historyOf(service, wallet)).toEqual(await fromNothing())
})

test('without credits the sync pauses and keeps what was paid; paid again it continues with the same count', async () => {
  const service = await serviceAt(devnet.chains.ethereum.url)
  const { db } = service.context.database
  const key = await service.newKey(2)
  const post = (apiKey: string) =>
    patientFetch(`${service.url}/v1/sync-transactions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ addresses: [wallet] }),
    })
  const first = await post(key)
  expect([first.status, first.headers.get('content-type'), await first.text()]).toEqual([
    200,
    'text/plain; charset=utf-8',
    '"Address is syncing"',
  ])
  const ended = async () =>
    (await db.selectFrom('history_sync').select(['state', 'stored', 'reason']).executeTakeFirstOrThrow()) ?? {}
  await expect.poll(async () => (await ended()).state).not.toBe('running')
  expect(await ended()).toEqual({ state: 'paused', stored: 250, reason: 'out of credits' })
  expect((await post(key)).status).toBe(402)
  expect(await syncTransactions(service, wallet)).toBe('done')
  expect(await historyOf(service, wallet)).toEqual(await fromNothing())
  const { stored } = await ended()
  expect(await spent(service)).toBe(1 + Math.ceil((stored ?? 0) / 250) - 1)
  expect(await (await post(service.ownerKey)).text()).toBe('"Address is synced"')
})
