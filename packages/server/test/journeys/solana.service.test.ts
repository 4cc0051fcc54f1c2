import { buildDemoWallet, startSolanaDevnet } from '@coffer/devnet/solana'
import { formatUnits } from 'viem'
import { expect, test } from 'vitest'
import { startService, testClock } from '../harness.ts'
import { readPortfolio } from '../portfolio-reads.ts'
import { startRpcProxy } from '../rpc-proxy.ts'
import { tripsOfRead } from '../solana/trips-of-read.ts'
import { started } from '../started.ts'

/** Duration of the demonstration wallet's stakes, and a little. */
const DAYS_BACK = 5n * 86_400n
const SOL = '11111111111111111111111111111111'
/** Methods of a read. The search for used programs runs in the background. */
const READS = new Set(['getMultipleAccounts', 'getTokenAccountsByOwner', 'getProgramAccounts'])
const EVM_WALLET = '0x00000000000000000000000000000000000000aa'

const clock = testClock()

const devnet = await started(startSolanaDevnet({ unixTime: BigInt(Math.floor(Date.now() / 1000)) - DAYS_BACK }))
const demo = await buildDemoWallet(devnet)
const proxy = await started(startRpcProxy(devnet.url, { counts: ({ method }) => READS.has(method) }))
const service = await started(startService({ endpoints: { solana: [proxy.url] }, clock }))

async function portfolioOf(address: string) {
  return readPortfolio(service, address, false)
}

test('every token of a wallet is shown as its program shows it', async () => {
  const { assetByProtocols, asOf } = await portfolioOf(demo.address)
  const assets = Object.values(assetByProtocols['wallet']?.chains['solana']?.protocolPositions['WALLET']?.assets ?? [])
  const shown = new Map(assets.map(({ contract, balance }) => [contract, balance]))
  expect(shown.get(SOL)).toBe(formatUnits(demo.lamports, 9))
  const { interest, scaled, ...plain } = demo.tokens
  for (const { mint, amount, decimals } of Object.values(plain)) {
    expect(shown.get(mint)).toBe(formatUnits(amount, decimals))
  }
  expect(shown.get(scaled.mint)).toBe(
    formatUnits((scaled.amount * BigInt(scaled.multiplier * 100)) / 100n, scaled.decimals),
  )
  expect(Number(shown.get(interest.mint))).toBeGreaterThan(Number(formatUnits(interest.amount, interest.decimals)))
  expect(shown.size).toBe(1 + Object.keys(demo.tokens).length)
  expect(asOf['solana']?.block).toMatch(/^\d+$/)
})

test('stakes are separated by their state', async () => {
  const { assetByProtocols } = await portfolioOf(demo.address)
  const staked = assetByProtocols['native_stake']?.chains['solana']?.protocolPositions['STAKED']
  const lamports = Object.values(demo.stakes).map(({ lamports: each }) => each)
  const total = lamports.reduce((sum, each) => sum + each, 0n)
  const shown = (staked?.protocolPositions ?? []).flatMap(({ assets }) => assets.map(({ balance }) => balance))
  expect(shown.toSorted()).toEqual(lamports.map((each) => formatUnits(each, 9)).toSorted())
  expect(total).toBeGreaterThan(0n)
})

test('a wallet that holds nothing is empty, not missing', async () => {
  const { address } = await devnet.keypair('who holds nothing')
  const { networth, incomplete } = await portfolioOf(address)
  expect([networth, incomplete]).toEqual(['0', [{ chain: 'solana', reason: 'searching' }]])
  await expect.poll(async () => (await portfolioOf(address)).incomplete).toEqual([])
})

test('a read takes three trips at most', async () => {
  await portfolioOf(demo.address)
  // Programs found in the background are read immediately. That read runs concurrently until it has ended.
  const tripsOfNext = async () => {
    clock.advance(61_000)
    proxy.reset()
    await service.client.getPortfolio({ query: { addresses: [demo.address], waitForSync: true } })
    return tripsOfRead(proxy)
  }
  await expect.poll(tripsOfNext).toBeLessThanOrEqual(3)
})

test('a wallet of a chain type without a chain is refused, free of charge', async () => {
  const before = await service.client.getCredits()
  const answer = await service.get(`/v1/portfolio?addresses=${EVM_WALLET}`)
  expect([answer.status, answer.json()]).toEqual([
    400,
    {
      error: 'Bad Request',
      message: `this service has no node for wallets of this type: ${EVM_WALLET}`,
    },
  ])
  expect(await service.client.getCredits()).toBe(before)
})
