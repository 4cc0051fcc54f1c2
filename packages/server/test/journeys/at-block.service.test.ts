import type { Portfolio } from '@coffer/contract'
import { startDevnet } from '@coffer/devnet'
import { startSolanaDevnet } from '@coffer/devnet/solana'
import { type Address, formatUnits, parseEther, parseUnits } from 'viem'
import { beforeEach, expect, inject, it } from 'vitest'
import type { SolanaAddress } from '../../src/domain/solana-address.ts'
import { saveSnapshot } from '../../src/features/snapshots/snapshot-store.ts'
import { HANGS_MS } from '../hangs.ts'
import { startService, testClock } from '../harness.ts'
import { seededRandom } from '../random.ts'
import { type RpcCall, startRpcProxy } from '../rpc-proxy.ts'
import { sized } from '../sized.ts'
import { started } from '../started.ts'
import { readTruth } from './chain-truth.ts'
import { shownLines, trueLines, wrongSums } from './portfolio-lines.ts'
import { moveOnBase, moveOnEthereum } from './random-states.ts'
import { createSnapshotTimes } from './snapshot-times.ts'

const DAY = 86_400
const CHAINS = ['ethereum', 'base'] as const
type ChainKey = (typeof CHAINS)[number]
/** Answer of a node that has pruned the state of a block. */
const NO_STATE = { code: -32000, message: 'missing trie node 00 (path ) state is not available' }
const OF_STATE = /^eth_(call|getBalance|getCode)$/
const SOLANA_WALLET = 'So11111111111111111111111111111111111111112' as SolanaAddress

const clock = testClock()
const random = seededRandom('at block')
const devnet = await started(startDevnet({ state: inject('devnetState'), args: ['--slots-in-an-epoch', '1'] }))
const { ethereum, base } = devnet.chains
/** Exceeds the time for which the oldest state is kept. */
const OLDEST_KEPT_MS = 601_000
/** Searches call other blocks. */
let counted = 0n
const proxy = await started(
  startRpcProxy(ethereum.url, {
    counts: ({ method, params }) => method === 'eth_call' && params[1] === `0x${counted.toString(16)}`,
  }),
)
const solana = await started(startSolanaDevnet())
const service = await started(
  startService({ devnet, endpoints: { ethereum: [proxy.url], solana: [solana.url] }, clock }),
)
const { setTime, takeAll, settled } = createSnapshotTimes({ clock, context: () => service.context })
const accountId = await ownerId()
// Repays debts in simulations.
await ethereum.actions.erc20.allow(
  ethereum.addresses.tokens.usdc,
  devnet.wallets.whale.address,
  ethereum.addresses.morpho.blue,
)

beforeEach(() => proxy.reset())

async function ownerId(): Promise<bigint> {
  const { rows } = await service.context.database.pool.query('select id from account')
  return BigInt(rows[0].id)
}

const ask = (query: string) => service.get(`/v1/portfolio/at-block?${query}`)

async function portfolioAt(query: string): Promise<Portfolio> {
  const answer = await ask(query)
  if (answer.status !== 200) throw new Error(answer.text)
  const [portfolio] = answer.json() as Portfolio[]
  if (!portfolio) throw new Error('no portfolio in the answer')
  expect(answer.headers.get('x-data-complete')).toBe(String(portfolio.incomplete.length === 0))
  return portfolio
}

/** `eth_call`s at the block. */
async function requestsAt(wallet: string, block: bigint): Promise<number> {
  counted = block
  proxy.reset()
  await portfolioAt(at(wallet, 'ethereum', block))
  return proxy.requests()
}

/** Once the search for unlisted tokens has ended. */
async function searchedAt(query: string): Promise<Portfolio> {
  const complete = async () => (await portfolioAt(query)).incomplete
  await expect.poll(complete, { timeout: HANGS_MS }).toEqual([])
  return portfolioAt(query)
}

const at = (wallet: string, chain: ChainKey, block: bigint) => `addresses=${wallet}&chain=${chain}&block=${block}`
const on = (wallet: string, unix: number) => `addresses=${wallet}&date=${new Date(unix * 1_000).toISOString()}`

async function timeOf(chain: ChainKey, blockNumber: bigint): Promise<number> {
  return Number((await devnet.chains[chain].client.getBlock({ blockNumber })).timestamp)
}

const usdcOf = (portfolio: Portfolio) =>
  portfolio.assetByProtocols['wallet']?.assets.find(({ symbol }) => symbol === 'usdc')?.balance ?? '0'

it('marks that unlisted tokens are still searched, and shows them afterwards', async () => {
  const { address } = devnet.wallets.demo
  const orphan = ethereum.addresses.tokens.orphan.toLowerCase()
  const query = at(address, 'ethereum', await ethereum.client.getBlockNumber())
  const contractsOf = ({ assetByProtocols }: Portfolio) =>
    assetByProtocols['wallet']?.assets.map(({ contract }) => contract)
  const first = await portfolioAt(query)
  expect(first.incomplete).toEqual([{ chain: 'ethereum', reason: 'searching' }])
  expect(contractsOf(first)).not.toContain(orphan)
  expect(contractsOf(await searchedAt(query))).toContain(orphan)
})

it('shows any block as the protocols see it there, in any order', {
  timeout: sized({ small: 240_000, deep: 3_000_000 }),
}, async () => {
  const wallet = random.address()
  const from = { ethereum: await ethereum.client.getBlockNumber(), base: await base.client.getBlockNumber() }
  const pairs: [ChainKey, bigint][] = []
  for (let round = 0; round < sized({ small: 2, deep: 20 }); round += 1) {
    await moveOnEthereum(devnet.chains, wallet, random)
    await moveOnBase(devnet.chains, wallet, random)
    for (const chain of CHAINS) {
      await devnet.chains[chain].travel(1 + random.index(1_000))
      const head = await devnet.chains[chain].client.getBlockNumber()
      // The end of the round, and two blocks in the middle of its actions.
      const inside = () => from[chain] + 1n + BigInt(random.index(Number(head - from[chain])))
      pairs.push([chain, head], [chain, inside()], [chain, inside()])
    }
  }
  for (const chain of CHAINS) await devnet.chains[chain].client.mine({ blocks: 3 })
  for (const [chain, block] of pairs.toSorted(() => random.index(3) - 1)) {
    const portfolio = await searchedAt(at(wallet, chain, block))
    expect([chain, block, shownLines(portfolio, chain)]).toEqual([
      chain,
      block,
      trueLines(await readTruth(devnet, chain, wallet, block)),
    ])
    expect(wrongSums(portfolio)).toEqual([])
    const timestamp = new Date((await timeOf(chain, block)) * 1_000).toISOString().replace('.000Z', 'Z')
    expect(portfolio.asOf).toEqual({ [chain]: { block: String(block), timestamp } })
    expect(portfolio).toMatchObject({ lastUpdated: String(Date.parse(timestamp)), openPnl: 'N/A', closedPnl: 'N/A' })
    expect(portfolio.pnlIncomplete).toEqual([{ reason: 'no-history' }])
  }
})

async function mineAfter(seconds: number): Promise<void> {
  const { timestamp } = await ethereum.client.getBlock()
  await ethereum.client.setNextBlockTimestamp({ timestamp: timestamp + BigInt(seconds) })
  await ethereum.client.mine({ blocks: 1 })
}

it('separates a block from the next, and finds the last block at or before a time', async () => {
  const wallet = random.address()
  const amounts = [parseUnits('1234.5', 6), parseUnits('17', 6), parseUnits('900000.000001', 6)]
  const blocks: bigint[] = []
  for (const amount of amounts) {
    // A set balance belongs to the last block too.
    await ethereum.actions.erc20.setBalance(ethereum.addresses.tokens.usdc, wallet, amount)
    await mineAfter(100 + random.index(1_000))
    blocks.push(await ethereum.client.getBlockNumber())
    await mineAfter(1 + random.index(30))
  }
  await ethereum.client.mine({ blocks: 3 })
  for (const [i, block] of blocks.entries()) {
    const shown = formatUnits(amounts[i] ?? 0n, 6)
    expect(usdcOf(await portfolioAt(at(wallet, 'ethereum', block)))).toBe(shown)
    const time = await timeOf('ethereum', block)
    const next = await timeOf('ethereum', block + 1n)
    clock.advance(Math.max(0, next * 1_000 - clock.now()))
    for (const unix of [time, next - 1]) {
      const portfolio = await portfolioAt(on(wallet, unix))
      expect([portfolio.asOf['ethereum']?.block, usdcOf(portfolio)]).toEqual([String(block), shown])
    }
    expect((await portfolioAt(on(wallet, time - 1))).asOf['ethereum']?.block).toBe(String(block - 1n))
  }
})

it('shows nothing on a chain before it began', async () => {
  const portfolio = await portfolioAt(on(devnet.wallets.demo.address, 1_000_000_000))
  expect(portfolio).toMatchObject({ networth: '0', chains: {}, asOf: {}, incomplete: [], lastUpdated: '1000000000000' })
})

it('reads a new wallet in two requests, another block in one, and the same block in none', async () => {
  await service.client.getPortfolio({ query: { addresses: devnet.wallets.demo.address, waitForSync: true } })
  const wallet = random.address()
  await ethereum.actions.native.give(wallet, parseEther('3'))
  await ethereum.actions.erc20.mint(ethereum.addresses.tokens.dai, wallet, parseEther('5'))
  await moveOnEthereum(devnet.chains, wallet, random)
  await ethereum.client.mine({ blocks: 3 })
  const block = (await ethereum.client.getBlockNumber()) - 3n
  const cold = await requestsAt(wallet, block)
  const first = await searchedAt(at(wallet, 'ethereum', block))
  proxy.reset()
  const again = await portfolioAt(at(wallet, 'ethereum', block))
  expect([again, proxy.calls()]).toEqual([first, []])
  const warm = await requestsAt(wallet, block - 1n)
  console.info(`past block: ${cold} requests cold, ${warm} warm`)
  expect(cold).toBeLessThanOrEqual(2)
  expect(warm).toBe(1)
})

it('reads a wallet that was read lately in one request', async () => {
  const wallet = random.address()
  await moveOnEthereum(devnet.chains, wallet, random)
  await service.client.getPortfolio({ query: { addresses: wallet, waitForSync: true } })
  await ethereum.client.mine({ blocks: 3 })
  const block = (await ethereum.client.getBlockNumber()) - 3n
  expect(await requestsAt(wallet, block)).toBe(1)
})

it('is 422 where no endpoint has the state, free of charge, and answers for the other chains', async () => {
  const wallet = random.address()
  await ethereum.client.mine({ blocks: 40 })
  await base.actions.native.give(wallet, parseEther('2'))
  await devnet.refreshFeeds()
  for (const chain of CHAINS) await devnet.chains[chain].client.mine({ blocks: 3 })
  const head = await ethereum.client.getBlockNumber()
  const oldest = head - 20n
  const isOld = (tag: unknown) => typeof tag === 'string' && tag.startsWith('0x') && BigInt(tag) < oldest
  proxy.add({ when: ({ method, params }) => OF_STATE.test(method) && isOld(params[1]), fault: { error: NO_STATE } })
  const before = await service.client.getCredits()
  const block = oldest - 7n
  const refused = await ask(at(wallet, 'ethereum', block))
  expect([refused.status, refused.json()]).toEqual([
    422,
    {
      error: 'Unprocessable Entity',
      message: `No endpoint of ethereum has the state of block ${block}; the oldest one that they have is of block ${oldest}. The operator can add an archive endpoint for ethereum.`,
    },
  ])
  expect(await service.client.getCredits()).toBe(before)
  expect((await portfolioAt(at(wallet, 'ethereum', oldest))).asOf['ethereum']?.block).toBe(String(oldest))

  const time = await timeOf('base', await base.client.getBlockNumber())
  const old = await timeOf('ethereum', block)
  clock.advance(Math.max(0, time * 1_000 - clock.now()))
  const partial = await portfolioAt(on(wallet, Math.min(time, old)))
  expect(partial.incomplete).toContainEqual({ chain: 'ethereum', reason: 'no-state' })
  expect(Object.keys(partial.asOf)).toEqual(['base'])

  // The oldest state stays known for a while, unless a later one is gone.
  const isGone = ([, tag]: unknown[]) => String(tag).startsWith('0x') && BigInt(String(tag)) < oldest + 4n
  proxy.add({ when: ({ method, params }) => OF_STATE.test(method) && isGone(params), fault: { error: NO_STATE } })
  expect((await ask(at(wallet, 'ethereum', oldest + 1n))).text).toContain(`is of block ${oldest + 4n}.`)

  // A node that runs every call on its newest block has no past.
  proxy.reset()
  clock.advance(OLDEST_KEPT_MS)
  const isNumbered = ({ method, params }: RpcCall) => OF_STATE.test(method) && String(params[1]).startsWith('0x')
  proxy.add({ when: isNumbered, fault: { params: ([call, , ...rest]) => [call, 'latest', ...rest] } })
  const newest = await ask(at(wallet, 'ethereum', block - 2n))
  const message = `No endpoint of ethereum has the state of block ${block - 2n}. The operator can add an archive endpoint for ethereum.`
  expect([newest.status, newest.json()]).toEqual([422, { error: 'Unprocessable Entity', message }])

  // A node that fails for another reason is no proof that the state is gone.
  proxy.reset()
  proxy.add({ when: ({ method }) => method === 'eth_call', fault: { error: { code: -32000, message: 'internal' } } })
  expect((await ask(at(wallet, 'ethereum', block - 1n))).status).toBe(502)
})

it('refuses what names no past block, and charges one credit for each address', async () => {
  const wallet = devnet.wallets.demo.address
  const head = await ethereum.client.getBlockNumber()
  const before = await service.client.getCredits()
  const refused: [query: string, message: string][] = [
    ['', 'block: must be given as chain and block, or as date'],
    ['&chain=ethereum', 'block: must be given as chain and block, or as date'],
    ['&block=1', 'block: must be given as chain and block, or as date'],
    ['&chain=ethereum&block=1&date=2026-03-01T12:00:00Z', 'block: must be given as chain and block, or as date'],
    ['&chain=ethereum&block=-1', 'block: must be a whole number of at least 0'],
    ['&chain=ethereum&block=1e3', 'block: must be a whole number of at least 0'],
    ['&date=2026-03-01', 'date: must be a time with a zone, such as 2026-03-01T12:00:00Z'],
    ['&date=2026-03-01T12:00:00', 'date: must be a time with a zone, such as 2026-03-01T12:00:00Z'],
    ['&date=2999-03-01T12:00:00Z', 'date: must not be in the future'],
    ['&chain=polygon&block=1', 'chain: must be the key of a chain that this service reads'],
    ['&chain=solana&block=1', `addresses: ${wallet.toLowerCase()} is no address of solana`],
    [`&chain=ethereum&block=${head + 1_000n}`, `block: the newest block of ethereum is ${head}`],
  ]
  for (const [query, message] of refused) {
    const answer = await ask(`addresses=${wallet}${query}`)
    expect([query, answer.status, answer.json()]).toEqual([query, 400, { error: 'Bad Request', message }])
  }
  expect(await service.client.getCredits()).toBe(before)
  const wallets = [wallet, random.address(), wallet] satisfies Address[]
  const answer = await ask(`addresses=${wallets}&chain=ethereum&block=${head}`)
  expect((answer.json() as Portfolio[]).map(({ address }) => address)).toEqual(
    wallets.slice(0, 2).map((one) => one.toLowerCase()),
  )
  expect(await service.client.getCredits()).toBe(before - 2)
})

it('equals the snapshot of the same blocks in every field', async () => {
  const wallet = random.address()
  await moveOnEthereum(devnet.chains, wallet, random)
  await moveOnBase(devnet.chains, wallet, random)
  const now = Math.max(...(await Promise.all(CHAINS.map((chain) => headTime(chain)))))
  await setTime(now)
  await service.client.subscribeSnapshot({ body: { addresses: [{ address: wallet }] } })
  await settled()
  const midnight = now - (now % DAY) + DAY
  for (const { client } of [ethereum, base]) {
    await client.setNextBlockTimestamp({ timestamp: BigInt(midnight) })
    await client.mine({ blocks: 1 })
    await client.mine({ blocks: 5, interval: 60 })
  }
  clock.advance(Math.max(0, (midnight + DAY) * 1_000 - clock.now()))
  await takeAll(midnight + 3 * 3_600)
  const date = new Date(midnight * 1_000).toISOString().slice(0, 10)
  const [snapshot] = (await service.get(`/v1/historical?addresses=${wallet}&date=${date}`)).json() as Portfolio[]
  const past = await searchedAt(on(wallet, midnight))
  expect(Object.keys(past.assetByProtocols).length).toBeGreaterThan(8)
  expect(past).toEqual(snapshot)
})

async function headTime(chain: ChainKey): Promise<number> {
  return timeOf(chain, await devnet.chains[chain].client.getBlockNumber())
}

it('is the source of a statement at a time', async () => {
  const { address } = devnet.wallets.demo
  const time = await timeOf('ethereum', (await ethereum.client.getBlockNumber()) - 3n)
  const portfolio = await searchedAt(on(address, time))
  const { status, text, headers } = await service.get(`/v1/holdings/export?${on(address, time)}`)
  expect([status, headers.get('content-disposition')]).toEqual([
    ...[200, `attachment; filename="holdings-${new Date(time * 1_000).toISOString().slice(0, 10)}.html"`],
  ])
  expect(text).toContain('the last block of each chain at or before this time')
  expect(text).toContain(`${portfolio.networth} exact`)
  const refused = await service.get(`/v1/holdings/export?addresses=${address}&date=2026-03-01T12:00:00`)
  const message = 'date: must be a day as YYYY-MM-DD, or a time with a zone, such as 2026-03-01T12:00:00Z'
  expect([refused.status, refused.json()]).toEqual([400, { error: 'Bad Request', message }])
  const future = await service.get(`/v1/holdings/export?addresses=${address}&date=2999-03-01T12:00:00Z`)
  expect(future.status).toBe(400)
})

it('has on Solana what a daily snapshot has, at its time alone', async () => {
  const midnight = 1_767_225_600
  const read = { chain: 'solana', wallet: SOLANA_WALLET, block: 390_000_000n, blockTime: midnight + 600, readAt: 0 }
  const empty = { holdings: [], positions: [], tokens: [], prices: [], gaps: [] }
  const { db } = service.context.database
  await saveSnapshot(
    db,
    { address: SOLANA_WALLET, date: '2026-01-01', first: null },
    [{ ...read, ...empty }],
    [accountId],
  )
  const portfolio = await portfolioAt(on(SOLANA_WALLET, midnight))
  expect(portfolio.asOf).toEqual({ solana: { block: '390000000', timestamp: '2026-01-01T00:10:00Z' } })
  const before = await service.client.getCredits()
  for (const query of [
    on(SOLANA_WALLET, midnight + 1),
    on(SOLANA_WALLET, midnight + DAY),
    `addresses=${SOLANA_WALLET}&chain=solana&block=390000000`,
  ]) {
    const { status, json } = await ask(query)
    const message = 'Nodes of solana serve only the present state, and no daily snapshot is of this time.'
    expect([status, json()]).toEqual([422, { error: 'Unprocessable Entity', message }])
  }
  expect(await service.client.getCredits()).toBe(before)
})
