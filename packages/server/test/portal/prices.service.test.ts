import { type PriceWhyView, priceEndpoints } from '@coffer/contract/portal'
import { addresses, startDevnet } from '@coffer/devnet'
import { expect, inject, test, vi } from 'vitest'
import { HANGS_MS } from '../hangs.ts'
import { startService, testClock } from '../harness.ts'
import { startRpcProxy } from '../rpc-proxy.ts'
import { started } from '../started.ts'
import { signedIn } from './portal-caller.ts'

const { tokens, feeds, aaveV3 } = addresses.ethereum
const NATIVE = '0x0000000000000000000000000000000000000000'
const A_USDC = '0x98C23E9d8f34FEFb1B7BD6a91B7FF122F4e16F5c'
const KEPT_MS = 10_000

const clock = testClock()

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const proxy = await started(startRpcProxy(devnet.chains.ethereum.url))
const service = await started(startService({ devnet, endpoints: { ethereum: [proxy.url] }, clock }))
const viewer = await signedIn(service, { accountId: '1', role: 'viewer' })
const ask = (query: Record<string, string>) =>
  viewer.call('GET', `/accounts/1/prices/why?${new URLSearchParams(query)}`)
await vi.waitUntil(async () => !(await why({ token: A_USDC })).isPartial, { timeout: HANGS_MS, interval: 500 })

/** A new answer that matches the contract. */
async function why(query: { token: string; chain?: string; amount?: string }): Promise<PriceWhyView> {
  clock.advance(KEPT_MS)
  const { status, body } = await ask({ chain: 'ethereum', ...query })
  expect(status, JSON.stringify(body)).toBe(200)
  return priceEndpoints.explainPrice.response.parse(body)
}

test('a feed: the figure, its address, block, time and age', async () => {
  await devnet.refreshFeeds()
  const block = await devnet.chains.ethereum.client.getBlock()
  const reported = await why({ token: tokens.uni, chain: '1' })
  const time = new Date(Number(block.timestamp) * 1000).toISOString().replace('.000Z', 'Z')
  expect(reported).toMatchObject({
    ...{ chain: 'ethereum', price: '8', source: 'chainlink', isPartial: false, blockTime: time },
    confidence: { level: 'high', reason: 'fresh-feed' },
    token: { address: tokens.uni.toLowerCase(), symbol: 'UNI', isListed: true },
    used: {
      ...{ source: 'chainlink', usd: '8', deviationPercent: '0', refusal: null },
      path: [
        {
          ...{ kind: 'feed', address: feeds.uniUsd.toLowerCase(), rate: '8', quote: null, depthUsd: null },
          ...{ block: block.number.toString(), time, ageSeconds: 0, heartbeatSeconds: 3600 },
        },
      ],
    },
  })
  const [pool] = reported.others
  expect(pool).toMatchObject({ source: 'uniswap_v3', refusal: null })
  expect(Math.abs(Number(pool?.deviationPercent))).toBeLessThan(0.01)
  expect(pool?.path.map(({ kind, feePercent }) => [kind, feePercent])).toEqual([
    ['pool', '0.3'],
    ['oracle', null],
  ])
  expect(reported.sources.map(({ name }) => name)).toContain('uniswap')
})

test('the coin by the oracle of a market, which its own feed confirms; a receipt by what it stands for', async () => {
  await devnet.refreshFeeds()
  const coin = await why({ token: NATIVE })
  expect(coin).toMatchObject({ price: '3000', source: 'aave', confidence: { level: 'high', reason: 'fresh-feed' } })
  expect(coin.used?.path[0]).toMatchObject({ kind: 'oracle', address: aaveV3.oracle.toLowerCase(), time: null })
  expect(coin.others.map(({ source }) => source)).toContain('chainlink')

  const receipt = await why({ token: A_USDC })
  expect(receipt).toMatchObject({
    source: 'receipt',
    used: null,
    confidence: { level: 'high', reason: 'as-its-parts' },
  })
  expect(receipt.parts).toMatchObject([{ amount: '1', token: { symbol: 'USDC' }, confidence: { level: 'high' } }])
})

test('what advertises is never priced, and what is no token is none', async () => {
  const spam = await why({ token: tokens.spam })
  expect(spam).toMatchObject({ price: 'N/A', source: null, used: null, confidence: { level: 'none', reason: 'spam' } })
  const none = await why({ token: devnet.wallets.demo.address })
  expect(none).toMatchObject({ token: null, price: 'N/A', confidence: { level: 'none', reason: 'not-a-token' } })
})

test('who asks again at once gets the same answer, and no node is asked', async () => {
  await why({ token: tokens.uni })
  proxy.reset()
  const first = await ask({ chain: 'ethereum', token: tokens.uni })
  expect(first.body).toEqual((await ask({ chain: 'ethereum', token: tokens.uni })).body)
  expect(proxy.calls()).toEqual([])
})

test('a node that fails is a partial answer without a price, never an error and never zero', async () => {
  proxy.add({ fault: { raw: { status: 503, body: '' } } })
  try {
    const reported = await why({ token: tokens.uni })
    expect(reported).toMatchObject({ price: 'N/A', isPartial: true, block: null, blockTime: null })
    expect(reported.confidence).toEqual({ level: 'none', reason: 'source-failed' })
    expect(reported.sources).toContainEqual({
      name: 'chainlink',
      outcome: expect.not.stringMatching(/answered|unknown/),
    })
    expect(JSON.stringify(reported)).not.toContain('127.0.0.1')
  } finally {
    proxy.reset()
  }
})

test.each([
  [{ token: tokens.uni }, /chain/],
  [{ chain: 'ethereum' }, /token/],
  [{ chain: 'nowhere', token: tokens.uni }, /nowhere is not enabled here/],
  [{ chain: 'ethereum', token: '0x12' }, /token: must be 0x and 40 hex digits/],
  [{ chain: 'ethereum', token: 'So11111111111111111111111111111111111111112' }, /token: must be 0x and 40 hex digits/],
  [{ chain: 'ethereum', token: tokens.uni, amount: '-1' }, /amount/],
  [{ chain: 'ethereum', token: tokens.uni, amount: '1e5' }, /amount/],
  [{ chain: 'ethereum', token: tokens.uni, holder: 'vitalik' }, /holder/],
])('%j is refused', async (query, detail) => {
  const { status, body } = await ask(query)
  expect({ status, body }).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } })
  expect((body as { detail: string }).detail).toMatch(detail)
})
