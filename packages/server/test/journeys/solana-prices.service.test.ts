import { priceEndpoints } from '@coffer/contract/portal'
import { startSolanaDevnet } from '@coffer/devnet/solana'
import {
  type FixtureAccount,
  infinity,
  pythFeeds,
  pythPrice,
  type RangeFigures,
  whirlpoolMarket,
  whirlpoolPays,
} from '@coffer/solana-fixtures'
import { address } from '@solana/kit'
import { expect, test } from 'vitest'
import { decimal } from '../../src/domain/decimal.ts'
import { startService, testClock } from '../harness.ts'
import { signedIn } from '../portal/portal-caller.ts'
import { readPortfolio } from '../portfolio-reads.ts'
import { startRpcProxy } from '../rpc-proxy.ts'
import { tripsOfRead } from '../solana/trips-of-read.ts'
import { started } from '../started.ts'

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const SOL = '11111111111111111111111111111111'
/** No feed has it. */
const MINT = 'DriFtupJYLTosbwoN8koMbEYSx54aFAVLddWsbksjwg7'
const HELD = 1_000_000_000n
/** A quarter of a USDC each, with a million of them as liquidity. */
const POOL: RangeFigures = {
  mints: [MINT, USDC],
  tickSpacing: 64,
  feeMillionths: 3_000,
  liquidity: 4_000_000_000_000n,
  sqrtPrice: 1n << 63n,
  tick: -13_864,
  balances: [5_000_000_000_000n, 1_200_000_000_000n],
  nets: new Map([[-20_032, 4_000_000_000_000n]]),
}
/** Staked SOL of Sanctum. */
const INF = '5oVNBeEEQvYi1cX3ir8Dx5n1P7pdxydbGF2X4TxVusJm'
/** Methods of a read. The search for used programs runs in the background. */
const READS = new Set(['getMultipleAccounts', 'getTokenAccountsByOwner', 'getProgramAccounts'])
const MINUTE_MS = 61_000

const clock = testClock()

const devnet = await started(startSolanaDevnet())
const proxy = await started(startRpcProxy(devnet.url, { counts: ({ method }) => READS.has(method) }))
const holder = await devnet.keypair('who has prices')
const wallet = holder.address
await devnet.actions.sol.give(holder.address, 2_000_000_000n)
const usdc = devnet.actions.mints.place(address(USDC), { decimals: 6 })
await devnet.actions.tokens.mint(usdc, holder.address, 10_000_000n)
const traded = devnet.actions.mints.place(address(MINT), { decimals: 6 })
await devnet.actions.tokens.mint(traded, holder.address, HELD)
for (const account of await whirlpoolMarket(POOL)) place(account)
const service = await started(startService({ endpoints: { solana: [proxy.url] }, clock }))

function place(account: FixtureAccount): void {
  devnet.chain.setAccount(address(account.address), { ...account, owner: address(account.owner) })
}

/** Writes Pyth's price account. `price`: in 10^-8 USD. */
async function publish(feedId: string, price: bigint, secondsAgo = 5): Promise<void> {
  place(await pythPrice({ feedId, price, publishedAt: Number(devnet.chain.time()) - secondsAgo }))
}

/** A new read's direct holdings: value by contract, and the price source. */
async function shown() {
  clock.advance(MINUTE_MS)
  const portfolio = await readPortfolio(service, wallet)
  const assets = Object.values(
    portfolio?.assetByProtocols['wallet']?.chains['solana']?.protocolPositions['WALLET']?.assets ?? [],
  )
  return {
    values: Object.fromEntries(assets.map(({ contract, value, priceSource }) => [contract, [value, priceSource]])),
    incomplete: portfolio?.incomplete ?? [],
  }
}

/** In USDC of 0.9999 USD; the program rounds down to a millionth. */
const paidBy = (market: RangeFigures, held: bigint) =>
  decimal(whirlpoolPays(market, held, true)).times(decimal('0.0000009999'))

/** An earlier read may be in progress, and its result answers this request. */
const eventually = () => expect.poll(shown)

test('tokens are worth what Pyth says on the chain', async () => {
  await publish(pythFeeds.SOL, 15_050_000_000n)
  await publish(pythFeeds.USDC, 99_990_000n)
  // 2 × 150.5 and 10 × 0.9999
  await eventually().toMatchObject({
    values: { [SOL]: ['301', 'pyth'], [USDC]: ['9.999', 'pyth'] },
    incomplete: [],
  })
})

test('what no feed knows is worth what its market would pay', async () => {
  const paid = paidBy(POOL, HELD)
  const read = await shown()
  const [value, source] = read.values[MINT] ?? []
  expect(source).toBe('orca')
  expect(
    decimal(value ?? '0')
      .minus(paid)
      .abs()
      .lt(decimal('0.00001')),
  ).toBe(true)
})

test('the portal says why: the account of a feed, and a pool with its depth', async () => {
  await publish(pythFeeds.USDC, 99_990_000n)
  const viewer = await signedIn(service, { accountId: '1', role: 'viewer' })
  const why = async (token: string) => {
    const { status, body } = await viewer.call('GET', `/accounts/1/prices/why?chain=solana&token=${token}`)
    expect(status).toBe(200)
    return priceEndpoints.explainPrice.response.parse(body)
  }
  const usdc = await why(USDC)
  const feed = { kind: 'feed', rate: '0.9999', heartbeatSeconds: 60, address: expect.stringMatching(/^\w{32,44}$/) }
  expect(usdc).toMatchObject({
    price: '0.9999',
    confidence: { level: 'high', reason: 'fresh-feed' },
    used: { path: [feed] },
  })
  // A quarter of a USDC each. The pool has 1,200,000 USDC, at 0.9999 USD.
  const traded = await why(MINT)
  const pool = { kind: 'pool', rate: '0.25', quote: USDC, depthUsd: '1199880', feePercent: '0.3' }
  expect(traded).toMatchObject({
    ...{ price: '0.249975', source: 'orca', isPartial: false },
    ...{ confidence: { level: 'medium', reason: 'deep-pool' }, used: { path: [pool, feed] } },
  })
})

test('prices take no trip of their own', async () => {
  const tripsOfNext = async () => {
    proxy.reset()
    await shown()
    return tripsOfRead(proxy)
  }
  await expect.poll(tripsOfNext).toBeLessThanOrEqual(3)
})

test('a price that has gone stale stays as it was, and is said to be', async () => {
  await publish(pythFeeds.SOL, 99_900_000_000n, 3_600)
  await eventually().toMatchObject({
    values: { [SOL]: ['301', 'pyth'], [USDC]: ['9.999', 'pyth'] },
    incomplete: [{ chain: 'solana', reason: 'stale' }],
  })
})

test('a token whose pool has an unknown version keeps its market price, and its protocol is marked', async () => {
  await publish(pythFeeds.SOL, 15_050_000_000n)
  await publish(pythFeeds.USDC, 99_990_000n)
  const { accounts, held } = await infinity(wallet, undefined, 3)
  const market = { ...POOL, mints: [INF, USDC] as const }
  for (const account of [...accounts, ...(await whirlpoolMarket(market))]) place(account)
  const paid = paidBy(market, held[0]?.amountRaw ?? 0n)
  const read = await shown()
  const [value, source] = read.values[INF] ?? []
  expect([source, read.incomplete]).toEqual(['orca', [{ chain: 'solana', protocol: 'sanctum', reason: 'unreadable' }]])
  expect(paid.gt(decimal('290'))).toBe(true)
  expect(
    decimal(value ?? '0')
      .minus(paid)
      .abs()
      .lt(decimal('0.00001')),
  ).toBe(true)
})
