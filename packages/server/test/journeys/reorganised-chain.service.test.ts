import type { Approval, Portfolio } from '@coffer/contract'
import { type Devnet, devnetConfig, startDevnet } from '@coffer/devnet'
import { sql } from 'kysely'
import { beforeEach, expect, inject, test, vi } from 'vitest'
import type { EvmAddress } from '../../src/domain/evm-address.ts'
import { eventLogger } from '../event-logger.ts'
import { HANGS_MS } from '../hangs.ts'
import { startService, type TestService, testClock } from '../harness.ts'
import { nodeAt } from '../local-node.ts'
import { readPortfolio } from '../portfolio-reads.ts'
import { seededRandom } from '../random.ts'
import { type RpcProxy, startRpcProxy } from '../rpc-proxy.ts'
import { startedForTest } from '../started.ts'
import { letSyncAgain, syncTransactions } from '../sync.ts'

/** Longer than an answer is fresh. */
const NOT_FRESH_MS = 61_000
const SPENDER = '0x00000000000000000000000000000000000000a1'
const random = seededRandom('reorganised chain')

const clock = testClock()
let devnet: Devnet
let proxy: RpcProxy
let node: ReturnType<typeof nodeAt>

beforeEach(async () => {
  devnet = await startedForTest(startDevnet({ state: inject('devnetState') }))
  proxy = await startedForTest(startRpcProxy(devnet.chains.ethereum.url))
  node = nodeAt(devnet.chains.ethereum.url)
})

async function start(ethereum: readonly string[], env: Record<string, string> = {}): Promise<TestService> {
  return startedForTest(startService({ endpoints: { ethereum }, config: devnetConfig(), clock, env }))
}

async function read(service: TestService, wallet: string): Promise<Portfolio> {
  clock.advance(NOT_FRESH_MS)
  return readPortfolio(service, wallet)
}

/** Marks of transactions, PnL and files. */
async function marksOf(service: TestService, wallet: string) {
  const transactions = await service.get(`/v1/transactions?addresses=${wallet}`)
  const { coverage } = transactions.json() as { coverage: unknown }
  const gains = await service.get(`/v1/gains/export?addresses=${wallet}&from=2020-01-01&to=2040-01-01`)
  return { coverage, pnlIncomplete: (await read(service, wallet)).pnlIncomplete, gains: gains.status }
}

const headOf = async () => BigInt(await node.send<string>('eth_blockNumber'))
const shows = (portfolio: Portfolio, token: string) =>
  JSON.stringify(portfolio).toLowerCase().includes(token.toLowerCase())

test('a token received in a replacing block is shown, even without a read for a hundred blocks', async () => {
  const service = await start([proxy.url])
  const wallet = random.address()
  const { actions, addresses } = devnet.chains.ethereum
  await actions.native.setBalance(wallet, 10n ** 18n)
  await node.send('evm_mine')
  await read(service, wallet)
  const found = async () => (await searched(service, wallet)).at(-1)
  await vi.waitFor(async () => expect(await found()).toBe(await headOf()), { timeout: HANGS_MS })
  await node.send('anvil_rollback', 1)
  // In the block that replaces the newest searched one.
  await actions.erc20.mint(addresses.tokens.orphan, wallet, 7n * 10n ** 18n)
  expect(await headOf()).toBe(await found())
  await node.send('anvil_mine', '0x64')
  await vi.waitFor(
    async () => {
      const portfolio = await read(service, wallet)
      expect(portfolio.incomplete).toEqual([])
      expect(shows(portfolio, addresses.tokens.orphan)).toBe(true)
    },
    { timeout: HANGS_MS },
  )
})

async function searched({ context }: TestService, wallet: EvmAddress): Promise<bigint[]> {
  const { db } = context.database
  const rows = await db
    .selectFrom('wallet_coverage')
    .select(sql<bigint>`upper(blocks) - 1`.as('last'))
    .where('wallet', '=', wallet)
    .where('purpose', '=', 'logs')
    .execute()
  return rows.map(({ last }) => last)
}

test.each([
  ['the newest block, looked at 100 blocks later', 1],
  ['more blocks than are ever replaced', 150],
])('approvals follow a replacement of %s', async (_, depth) => {
  const service = await start([proxy.url])
  const wallet: EvmAddress = random.address()
  const logger = eventLogger(node, random.address())
  await logger.deploy()
  const approve = (amount: bigint) => logger.log({ event: 'approval', owner: wallet, other: SPENDER, amount })
  const shown = async () => {
    clock.advance(NOT_FRESH_MS)
    const { json } = await service.get(`/v1/approvals/ethereum?addresses=${wallet}`)
    return (json() as { items: Approval[] }).items.map(({ amount }) => amount)
  }
  await approve(1n)
  await approve(2n)
  if (depth > 1) await node.send('anvil_mine', `0x${(depth - 1).toString(16)}`)
  expect(await shown()).toEqual(['2', '1'])
  await node.send('anvil_rollback', depth)
  await approve(3n)
  await node.send('anvil_mine', depth === 1 ? '0x64' : '0x12c')
  expect(await shown()).toEqual(['3', '1'])
})

test('a chain that is shorter than the last read is shown at its present block', async () => {
  const service = await start([proxy.url])
  const wallet = random.address()
  const { actions } = devnet.chains.ethereum
  await actions.native.setBalance(wallet, 10n ** 18n)
  await node.send('anvil_mine', '0xa')
  const before = await read(service, wallet)
  expect(before.asOf['ethereum']?.block).toBe(String(await headOf()))
  await node.send('anvil_rollback', 8)
  await actions.native.setBalance(wallet, 5n * 10n ** 17n)
  const after = await read(service, wallet)
  expect(after.asOf['ethereum']?.block).toBe(String(await headOf()))
  expect(after.incomplete.filter(({ reason }) => reason !== 'searching')).toEqual([])
  expect(Number(after.networth) / Number(before.networth)).toBeCloseTo(0.5, 2)
})

test('a read of a chain that never was, as a version before stored it, is replaced', async () => {
  const service = await start([proxy.url])
  const { address } = devnet.wallets.demo
  const good = await read(service, address)
  const store = service.context.database.pool
  const poison =
    "update wallet_read set block = block + 1000000, block_hash = null, body = jsonb_set(body, '{holdings}', '[]'),"
  for (const time of ["block_time = '2020-01-01'", "block_time = '2036-01-01'"]) {
    await store.query(`${poison} ${time}`)
    const after = await read(service, address)
    expect(after.asOf['ethereum']?.block).toBe(String(await headOf()))
    expect(Number(after.networth) / Number(good.networth)).toBeCloseTo(1, 1)
  }
})

test('a history is taken back deeper than blocks are replaced when two endpoints agree, and by no single one', async () => {
  const REAL = { COFFER_LOCAL_CHAINS: '' }
  const alone = await start([proxy.url], REAL)
  const both = await start([proxy.url, devnet.chains.ethereum.url], REAL)
  const wallet = random.address()
  const { actions, addresses } = devnet.chains.ethereum
  await node.send('evm_setNextBlockTimestamp', Math.floor(clock.now() / 1000))
  await actions.erc20.mint(addresses.tokens.usdc, wallet, 5_000_000n)
  await node.send('anvil_mine', '0x78')
  const stored = async ({ context }: TestService) => {
    const rows = await context.database.db
      .selectFrom('history_transaction')
      .select('hash')
      .where('wallet', '=', wallet)
      .execute()
    return rows.map(({ hash }) => hash)
  }
  for (const service of [alone, both]) expect(await syncTransactions(service, wallet)).toBe('done')
  const first = await stored(alone)
  expect(first).toHaveLength(1)
  const seen = String(await headOf())
  // 121 blocks are replaced: more than the maximum of 96 that is ever expected.
  await node.send('anvil_rollback', 121)
  await actions.erc20.mint(addresses.tokens.usdc, wallet, 6_000_000n)
  await node.send('anvil_mine', '0xc8')
  for (const service of [alone, both]) await letSyncAgain(service)
  expect(await syncTransactions(alone, wallet)).toMatch(/^failed: one endpoint alone/)
  expect(await stored(alone)).toEqual(first)
  // No older seen block still exists on the chain.
  const replaced = { chain: 'ethereum', reason: 'replaced-chain' }
  expect(await marksOf(alone, wallet)).toEqual({
    coverage: [{ ...{ address: wallet, fromBlock: '0', toBlock: seen, complete: false }, ...replaced }],
    // The balance is that of the endpoint's chain.
    pnlIncomplete: [
      { ...replaced, block: '0' },
      { reason: 'balance-differs', chain: 'ethereum', contract: addresses.tokens.usdc.toLowerCase() },
    ],
    gains: 409,
  })
  expect(await syncTransactions(both, wallet)).toBe('done')
  const coverage = [
    { address: wallet, chain: 'ethereum', fromBlock: '0', toBlock: String(await headOf()), complete: true },
  ]
  expect(await marksOf(both, wallet)).toEqual({ coverage, pnlIncomplete: [], gains: 200 })
  const second = await stored(both)
  expect(second).toHaveLength(1)
  expect(second).not.toEqual(first)
  // Endpoints that end 150 blocks below the seen head may lag, or have lost these blocks.
  const top = await headOf()
  await node.send('anvil_rollback', 150)
  await letSyncAgain(both)
  expect(await syncTransactions(both, wallet)).toContain(`the newest block of ethereum is ${top - 150n}, below`)
  expect((await marksOf(both, wallet)).coverage).toEqual([
    { address: wallet, chain: 'ethereum', fromBlock: '0', toBlock: String(top - 150n), complete: true },
    { address: wallet, ...replaced, fromBlock: String(top - 149n), toBlock: String(top), complete: false },
  ])
})
