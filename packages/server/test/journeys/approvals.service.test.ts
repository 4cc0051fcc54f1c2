import type { Approval } from '@coffer/contract'
import { startDevnet } from '@coffer/devnet'
import { erc20Abi, maxUint256 } from 'viem'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { EvmAddress } from '../../src/domain/evm-address.ts'
import { eventLogger } from '../event-logger.ts'
import { startService, testClock } from '../harness.ts'
import { nodeAt } from '../local-node.ts'
import { ownAccount } from '../own-data.ts'
import { seededRandom } from '../random.ts'
import { startRpcProxy } from '../rpc-proxy.ts'
import { started } from '../started.ts'

type Page = { cursor: string | null; pageSize: number; items: Approval[] }

const random = seededRandom('approvals')
const SPENDER = '0x00000000000000000000000000000000000000a1'

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const proxy = await started(startRpcProxy(devnet.chains.ethereum.url))
const service = await started(startService({ devnet, endpoints: { ethereum: [proxy.url] } }))

const newAccount = () => ownAccount({ db: service.context.database.db, url: service.url })

async function pageOf(query: string, chain = 'ethereum'): Promise<Page> {
  const { status, text, json } = await service.get(`/v1/approvals/${chain}?${query}`)
  expect([status, text.slice(0, 200)]).toEqual([200, expect.any(String)])
  return json() as Page
}

/** Follows the cursors to the end. Calls `between` after every page. */
async function allPages(wallet: string, limit: number, between: (page: number) => Promise<void>): Promise<Page[]> {
  const pages: Page[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const from: string = cursor === '' ? '' : `&cursor=${cursor}`
    const page: Page = await pageOf(`addresses=${wallet}&limit=${limit}${from}`)
    pages.push(page)
    await between(pages.length)
    cursor = page.cursor
  }
  return pages
}

test('an approval has the interface’s fields, with what the wallet has of a listed token', async () => {
  const { client, actions, addresses, write } = devnet.chains.ethereum
  const wallet = random.address()
  const { usdc } = addresses.tokens
  await actions.erc20.mint(usdc, wallet, 1_234_567_890n)
  const approve = (amount: bigint) =>
    write({ from: wallet, address: usdc, abi: erc20Abi, functionName: 'approve', args: [SPENDER, amount] })
  await approve(maxUint256)
  const revoked = await approve(0n)
  const { timestamp } = await client.getBlock({ blockNumber: revoked.blockNumber })
  const page = await pageOf(`addresses=${wallet.toUpperCase().replace('0X', '0x')}`)
  expect(page).toMatchObject({ cursor: null, pageSize: 2 })
  const [newest, oldest] = page.items
  expect(newest).toEqual({
    block: String(revoked.blockNumber),
    timestamp: new Date(Number(timestamp) * 1000).toISOString().replace('.000Z', 'Z'),
    hash: revoked.transactionHash,
    contract: usdc.toLowerCase(),
    from: wallet,
    to: SPENDER,
    amount: '0',
    asset: {
      name: expect.stringMatching(/^USD ?Coin$/i),
      symbol: 'USDC',
      displaySymbol: 'USDC',
      displayName: expect.stringMatching(/^USD ?Coin$/i),
      balance: '1234.56789',
      // From its feed on the devnet.
      price: '1',
      value: '1234.56789',
      decimal: '6',
      chain: 'ethereum',
      contract: usdc.toLowerCase(),
      imgSmall: `${service.url}/icons/tokens/ethereum/${usdc.toLowerCase()}.svg`,
      imgLarge: `${service.url}/icons/tokens/ethereum/${usdc.toLowerCase()}.svg`,
    },
  })
  expect(oldest).toMatchObject({ amount: String(maxUint256), to: SPENDER })
  expect(await pageOf(`addresses=${wallet}`, 'base')).toEqual({ cursor: null, pageSize: 0, items: [] })
})

describe('a thousand approvals', () => {
  const wallet = random.address()
  const token = random.address()
  const amounts = Array.from({ length: 1_000 }, (_, n) => BigInt(n + 1))
  let logger: ReturnType<typeof eventLogger>
  const approve = (values: readonly bigint[]) =>
    logger.log(...values.map((amount) => ({ event: 'approval', owner: wallet, other: SPENDER, amount }) as const))

  beforeAll(async () => {
    logger = eventLogger(nodeAt(devnet.chains.ethereum.url), token)
    await logger.deploy()
    for (let from = 0; from < amounts.length; from += 40) await approve(amounts.slice(from, from + 40))
  })

  let newest = 1_000n
  test.each([1, 25, 100])(
    'paged by %i while new ones land: none is missing, none comes twice',
    async (limit) => {
      const before = Array.from({ length: Number(newest) }, (_, n) => String(newest - BigInt(n)))
      const pages = await allPages(wallet, limit, async (count) => {
        if (count % Math.ceil(200 / limit) !== 0) return
        await approve([newest + 1n, newest + 2n])
        newest += 2n
      })
      expect(newest).toBeGreaterThan(BigInt(before.length))
      expect(pages.flatMap(({ items }) => items.map(({ amount }) => amount))).toEqual(before)
      expect(pages.slice(0, -1).every(({ pageSize, items }) => pageSize === limit && items.length === limit)).toBe(true)
      expect(pages.every(({ items }) => items.every(({ contract, asset }) => contract === token && !asset))).toBe(true)
    },
    120_000,
  )

  test('a cursor that was tampered with, or is another wallet’s or chain’s, is refused free of charge', async () => {
    const { cursor } = await pageOf(`addresses=${wallet}&limit=10`)
    if (cursor === null) throw new Error('no cursor')
    const account = await newAccount()
    const first = cursor.startsWith('B') ? 'C' : 'B'
    const last = cursor.endsWith('B') ? 'C' : 'B'
    for (const path of [
      `ethereum?addresses=${wallet}&cursor=${first}${cursor.slice(1)}`,
      `ethereum?addresses=${wallet}&cursor=${cursor.slice(0, -1)}${last}`,
      `ethereum?addresses=${wallet}&cursor=${cursor}A`,
      `ethereum?addresses=${wallet}&cursor=${'x'.repeat(501)}`,
      `ethereum?addresses=${wallet}&cursor=${cursor}&cursor=${cursor}`,
      `ethereum?addresses=${SPENDER}&cursor=${cursor}`,
      `base?addresses=${wallet}&cursor=${cursor}`,
    ]) {
      const answer = await account.call('GET', `/v1/approvals/${path}`)
      expect(answer, path).toEqual({ status: 400, body: { message: expect.any(String) } })
    }
    expect(await account.ledger()).toEqual([])
  })

  test('a page that was searched before is answered while no node is there; a new search is 502, given back', async () => {
    const { cursor } = await pageOf(`addresses=${wallet}&limit=50`)
    await pageOf(`addresses=${wallet}&limit=50&cursor=${cursor}`)
    const account = await newAccount()
    proxy.add({ fault: { raw: { status: 500, body: 'https://node.example/secret' } } })
    const known = await account.call('GET', `/v1/approvals/ethereum?addresses=${wallet}&limit=50&cursor=${cursor}`)
    const unknown = await account.call('GET', `/v1/approvals/ethereum?addresses=${wallet}`)
    proxy.reset()
    expect(known).toMatchObject({ status: 200, body: { pageSize: 50 } })
    expect(unknown).toEqual({ status: 502, body: { message: expect.not.stringContaining('node.example') } })
    expect(await account.ledger()).toEqual(['hold 1', 'post 1', 'hold 1', 'void 1'])
  })
})

test('an endpoint that serves 50 blocks at a time is searched in as many steps, and then only where blocks are new', async () => {
  const { client } = devnet.chains.ethereum
  const narrow = await startRpcProxy(devnet.chains.ethereum.url)
  const isWide = ([filter]: unknown[]) => {
    const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string }
    return BigInt(toBlock) - BigInt(fromBlock) >= 50n
  }
  const error = { code: -32_005, message: 'block range is too large, max 50 blocks' }
  const clock = testClock()
  const over = await startService({ devnet, endpoints: { ethereum: [narrow.url] }, clock })
  const wallet: EvmAddress = random.address()
  const token = random.address()
  const logger = eventLogger(nodeAt(devnet.chains.ethereum.url), token)
  await logger.deploy()
  for (const amount of [1n, 2n]) {
    await logger.log({ event: 'approval', owner: wallet, other: SPENDER, amount })
    for (let mined = 0; mined < 80; mined += 1) await client.mine({ blocks: 1 })
  }
  narrow.reset()
  narrow.add({ when: ({ method, params }) => method === 'eth_getLogs' && isWide(params), fault: { error } })
  const shown = async () => {
    clock.advance(61_000)
    const { json } = await over.get(`/v1/approvals/ethereum?addresses=${wallet}`)
    return (json() as Page).items.map(({ amount }) => amount)
  }
  expect(await shown()).toEqual(['2', '1'])
  const head = Number(await client.getBlockNumber())
  const searches = narrow.calls().filter(({ method, params }) => method === 'eth_getLogs' && !isWide(params))
  expect(searches.length).toBe(Math.ceil((head + 1) / 50))
  narrow.reset()
  expect(await shown()).toEqual(['2', '1'])
  expect(narrow.calls().filter(({ method }) => method === 'eth_getLogs')).toEqual([])
  for (let mined = 0; mined < 70; mined += 1) await client.mine({ blocks: 1 })
  expect(await shown()).toEqual(['2', '1'])
  const again = narrow.calls().filter(({ method, params }) => method === 'eth_getLogs' && !isWide(params))
  const on = (blocks: number) => `0x${(head + blocks).toString(16)}`
  expect(again.map(({ params: [filter] }) => filter)).toMatchObject([
    { fromBlock: on(1), toBlock: on(50) },
    { fromBlock: on(51), toBlock: on(70) },
  ])
  await over.stop()
  await narrow.stop()
})

test('a reorganisation takes approvals away again', async () => {
  const wallet: EvmAddress = random.address()
  const token = random.address()
  const node = nodeAt(devnet.chains.ethereum.url)
  const logger = eventLogger(node, token)
  await logger.deploy()
  const approve = (amount: bigint) => logger.log({ event: 'approval', owner: wallet, other: SPENDER, amount })
  await approve(1n)
  const hash = await approve(2n)
  const shown = async () => (await pageOf(`addresses=${wallet}`)).items.map(({ amount }) => amount)
  expect(await shown()).toEqual(['2', '1'])
  const { blockNumber } = await devnet.chains.ethereum.client.getTransactionReceipt({ hash })
  await node.send('anvil_rollback', 1)
  expect(await devnet.chains.ethereum.client.getBlockNumber()).toBe(blockNumber - 1n)
  await approve(3n)
  expect(await shown()).toEqual(['3', '1'])
})

test('bad input is 400 and free: chains by other names, none, two or no wallets, limits out of range', async () => {
  const account = await newAccount()
  const wallet = random.address()
  for (const path of [
    `solana?addresses=${wallet}`,
    `Ethereum?addresses=${wallet}`,
    `eth?addresses=${wallet}`,
    `1?addresses=${wallet}`,
    `celo?addresses=${wallet}`,
    `polygon?addresses=${wallet}`,
    'ethereum',
    'ethereum?addresses=',
    'ethereum?addresses=So11111111111111111111111111111111111111112',
    `ethereum?addresses=${wallet},${random.address()}`,
    ...['0', '101', 'abc', '1.5', '-1', ''].map((limit) => `ethereum?addresses=${wallet}&limit=${limit}`),
  ]) {
    const answer = await account.call('GET', `/v1/approvals/${path}`)
    expect(answer, path).toEqual({ status: 400, body: { message: expect.any(String) } })
  }
  expect(await account.ledger()).toEqual([])
})
