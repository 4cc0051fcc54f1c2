import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NestedPosition, PortfolioAsset, PositionGroup } from '@coffer/contract'
import { writeDemoConfig } from '@coffer/devnet'
import { type DemoPosition, startSolanaDemo } from '@coffer/devnet/solana'
import { formatUnits } from 'viem'
import { afterAll, expect, test, vi } from 'vitest'
import { solanaAdapters } from '../../src/chains/solana/protocols/protocols.ts'
import { HANGS_MS } from '../hangs.ts'
import { startService, testClock } from '../harness.ts'
import { readPortfolio as readWallet } from '../portfolio-reads.ts'
import { startRpcProxy } from '../rpc-proxy.ts'
import { tripsOfRead } from '../solana/trips-of-read.ts'
import { started } from '../started.ts'
import { readAirdrops, readPortfolio } from '../strict-reader.ts'

const NATIVE_SOL = '11111111111111111111111111111111'
const STAKE_PROGRAM = 'Stake11111111111111111111111111111111111111'
/** Raydium's CPMM and AMM v4, Kamino's vaults, and Jupiter's lendings and vaults, found by their mints. */
const BY_MINT = [
  'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C',
  '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8',
  'KvauGMspG5k6rtzrqqn7WNn3oZdyKqLKwK2XWQ8FLjd',
  'jup3YeL8QhtSx1e253b2FDvsMNC87fDrgQZivbrndc9',
  'jupr81YtYssSyPt8jbnGuiWon5f6x9TcDEFxYe3Bdzi',
]
/** Decimals of the positions' tokens, by mint. */
const DECIMALS: Readonly<Record<string, number>> = {
  [NATIVE_SOL]: 9,
  So11111111111111111111111111111111111111112: 9,
  EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v: 6,
  JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN: 6,
  '4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R': 6,
}
/** API types of the fixtures' names. */
const TYPES: Readonly<Record<string, string>> = {
  'nft-liquidity': 'NFTLIQUIDITYPOOL',
  liquidity: 'LIQUIDITYPOOL',
}
/** Methods of a read. The search for used programs runs in the background. */
const READS = new Set(['getMultipleAccounts', 'getTokenAccountsByOwner', 'getProgramAccounts'])

const clock = testClock()

const demo = await started(startSolanaDemo({ standStill: true }))
const proxy = await started(startRpcProxy(demo.url, { counts: ({ method }) => READS.has(method) }))
const folder = await mkdtemp(join(tmpdir(), 'coffer-solana-demo-'))
const { airdrops, priceOverrides } = JSON.parse(await readFile(writeDemoConfig(folder, demo), 'utf8'))
const service = await started(
  startService({
    ...{ endpoints: { solana: [proxy.url] }, config: { airdrops, priceOverrides }, clock },
  }),
)

const families = Object.keys(demo.wallet.positions)

// The background search finds used programs, and the next read includes them.
const areAllRead = async () => {
  const { assetByProtocols, incomplete } = await portfolio()
  expect(Object.keys(assetByProtocols)).toEqual(expect.arrayContaining(families))
  expect(incomplete).toEqual([])
}
await vi.waitFor(areAllRead, { timeout: HANGS_MS, interval: 200 })

afterAll(async () => {
  await rm(folder, { recursive: true })
})

async function portfolio() {
  return readWallet(service, demo.wallet.address, false)
}

/** Facts about positions, one per line. */
function factsOf(groups: Readonly<Record<string, PositionGroup | undefined>>): string[] {
  return Object.entries(groups).flatMap(([type, group]) => {
    const assets = (side: string, list: readonly PortfolioAsset[]) =>
      list.map(({ contract, balance }) => [type, side, contract, balance].join(' '))
    const ofPosition = (nested: NestedPosition) => [
      ...assets('has', [...nested.assets, ...nested.supplyAssets, ...nested.dexAssets]),
      ...assets('owes', nested.borrowAssets),
      ...assets('earns', nested.rewardAssets),
      ...(nested.healthRate === undefined ? [] : [`${type} health ${nested.healthRate}`]),
      ...(nested.unlockAt === '0' ? [] : [`${type} until ${nested.unlockAt}`]),
    ]
    return [...assets('has', group?.assets ?? []), ...(group?.protocolPositions ?? []).flatMap(ofPosition)]
  })
}

/** The same lines by the protocols' own computation. */
function factsExpected({ expected }: DemoPosition): string[] {
  return expected.flatMap(({ kind, supplied, borrowed, rewards, healthFactorRaw, unlockAt }) => {
    const type = TYPES[kind] ?? kind.toUpperCase()
    const assets = (side: string, list: readonly { token: string; amountRaw: bigint }[]) =>
      list.map(({ token, amountRaw }) => {
        const decimals = DECIMALS[token]
        if (decimals === undefined) throw new Error(`a token without decimals: ${token}`)
        return [type, side, token, formatUnits(amountRaw, decimals)].join(' ')
      })
    return [
      ...assets('has', supplied),
      ...assets('owes', borrowed),
      ...assets('earns', rewards),
      ...(healthFactorRaw === undefined ? [] : [`${type} health ${formatUnits(healthFactorRaw, 18)}`]),
      ...(unlockAt === undefined ? [] : [`${type} until ${unlockAt}`]),
    ]
  })
}

test('every protocol that is read has a position; stake accounts are those of the wallet itself', () => {
  const read = solanaAdapters.map(({ key }) => key)
  expect(['native_stake', ...families].sort()).toEqual(read.toSorted())
})

test('every position has the amounts of the protocol itself', async () => {
  const { assetByProtocols, incomplete } = await portfolio()
  expect(incomplete).toEqual([])
  for (const [family, position] of Object.entries(demo.wallet.positions)) {
    const shown = factsOf(assetByProtocols[family]?.chains['solana']?.protocolPositions ?? {})
    expect(shown.toSorted(), family).toEqual(factsExpected(position).toSorted())
    expect(shown.length, family).toBeGreaterThan(0)
  }
})

test('a strict reader reads all of it, and its principal is the net worth', async () => {
  const shown = `addresses=${demo.wallet.address}&includeImages=true&includeExplorerUrls=true`
  for (const path of ['/v1/portfolio', '/v1/wallet']) {
    const [entry] = (await service.get(`${path}?${shown}`)).json() as unknown[]
    const { networth, principal } = readPortfolio(entry)
    expect(principal).toBe(networth)
    expect(networth).toBeGreaterThan(0n)
  }
  const [airdrops] = (await service.get(`/v1/airdrop?addresses=${demo.wallet.address}`)).json() as unknown[]
  readAirdrops(airdrops)
})

test('what stands for a position is not shown beside it', async () => {
  const { assetByProtocols } = await portfolio()
  const assets = assetByProtocols['wallet']?.chains['solana']?.protocolPositions['WALLET']?.assets ?? []
  const own = [NATIVE_SOL, ...Object.values(demo.wallet.tokens).map(({ mint }) => mint)]
  expect(assets.map(({ contract }) => contract).toSorted()).toEqual(own.toSorted())
  const sol = assets.find(({ contract }) => contract === NATIVE_SOL)
  expect(sol).toMatchObject({ balance: formatUnits(demo.wallet.lamports, 9), price: '150', priceSource: 'pyth' })
})

test('stakes are all that their accounts hold', async () => {
  const { assetByProtocols } = await portfolio()
  const staked = assetByProtocols['native_stake']?.chains['solana']?.protocolPositions['STAKED']
  const shown = (staked?.protocolPositions ?? []).flatMap(({ assets }) => assets.map(({ balance }) => balance))
  const placed = Object.values(demo.wallet.stakes).map(({ lamports }) => formatUnits(lamports, 9))
  expect(shown.toSorted()).toEqual(placed.toSorted())
})

test('airdrops that are open, vesting and to come are shown with what is due; claimed and expired ones are not', async () => {
  const [answer] = await service.client.getAirdrops({ query: { addresses: [demo.wallet.address] } })
  expect(answer?.incomplete).toEqual([])
  const { airdrops } = demo.wallet
  expect(airdrops.map(({ state }) => state).sort()).toEqual(['claimed', 'expired', 'future', 'open', 'vesting'])
  const shown = Object.values(answer?.assetByProtocols ?? {})
    .flatMap(({ chains }) => chains['solana']?.protocolPositions.AIRDROP.protocolPositions ?? [])
    .map(({ name, assets }) => [
      name,
      assets.map(({ balance, isClaimable, unlockAt }) => `${balance} ${isClaimable} ${unlockAt}`),
    ])
  const due = airdrops
    .filter((airdrop) => airdrop.due.length > 0)
    .map(({ title, due: parts }) => [
      title,
      parts.map(({ amountRaw, isClaimable, unlockAt }) => `${formatUnits(amountRaw, 6)} ${isClaimable} ${unlockAt}`),
    ])
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(due))
  // 250 and 140 JUP at half a dollar.
  expect(answer?.networth).toBe('195')
})

test('all of it takes three trips, and searches only programs that the wallet has used', async () => {
  const readAnew = async (address: string) => {
    clock.advance(61_000)
    proxy.reset()
    await service.client.getPortfolio({ query: { addresses: [address], waitForSync: true } })
    const searched = proxy.calls().filter(({ method }) => method === 'getProgramAccounts')
    return { trips: tripsOfRead(proxy), searched: [...new Set(searched.map(({ params }) => params[0]))].sort() }
  }
  // The background search of the previous read may still be running.
  await expect.poll(async () => (await readAnew(demo.wallet.address)).trips).toBeLessThanOrEqual(3)
  const { searched } = await readAnew(demo.wallet.address)
  const all = [STAKE_PROGRAM, ...BY_MINT, ...solanaAdapters.flatMap((family) => family.searched ?? [])]
  expect(all).toEqual(expect.arrayContaining(searched))
  expect(searched.length).toBeGreaterThan(1)
  // Once a day a background search covers all programs.
  await expect.poll(async () => (await readAnew(demo.emptyWallet)).searched).toEqual([STAKE_PROGRAM])
})

test('a warm read of all of it and its background search take 8 requests and 80 kB at most', async () => {
  const readWarm = async () => {
    clock.advance(61_000)
    proxy.reset()
    await service.client.getPortfolio({ query: { addresses: [demo.wallet.address], waitForSync: true } })
    const behind = () => proxy.calls().filter(({ method }) => !READS.has(method))
    // The last request of a search without news.
    await expect.poll(() => behind().map(({ method }) => method)).toContain('getFirstAvailableBlock')
    await proxy.answered()
    expect(behind().filter(proxy.isBatch)).toEqual([])
    const { up, down } = proxy.bytes()
    const bytes = behind().reduce((sum, call) => sum + JSON.stringify(call).length + proxy.bytesOf(call), up + down)
    return proxy.requests() + behind().length <= 8 && bytes <= 80_000
  }
  await readWarm()
  // Requests of one batch arrive within milliseconds, which a busy machine may exceed.
  await expect.poll(readWarm).toBe(true)
})
