import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Portfolio } from '@coffer/contract'
import { devnetConfig, startDevnet } from '@coffer/devnet'
import { parseEther, parseUnits } from 'viem'
import { afterAll, describe, expect, inject, test, vi } from 'vitest'
import type { Env } from '../../src/config/env.ts'
import type { EvmAddress } from '../../src/domain/evm-address.ts'
import { monotonicTimer } from '../../src/lib/clock.ts'
import { beginRound } from '../followed-wallets.ts'
import { playLab, TRANSACTIONS, WORTH } from '../gateway-lab.ts'
import { type Cell, type Gateway, gateways, statesFrom } from '../gateways.ts'
import { HANGS_MS } from '../hangs.ts'
import { startService, type TestService, testClock } from '../harness.ts'
import { operator } from '../operator.ts'
import { seededRandom } from '../random.ts'
import { type RpcProxy, startRpcProxy } from '../rpc-proxy.ts'
import { started } from '../started.ts'
import { steppedTimer } from '../stepped-timer.ts'
import { syncTransactions } from '../sync.ts'

const TIMEOUT_MS = 900_000
/** One gateway for each way to refuse; `npm run test:deep` takes all, whose words differ. */
const SAMPLE = [
  'Infura, 8 a second',
  'a page of Cloudflare, 15 a second, that says when to come back',
  'Alchemy, free: 10 blocks',
  'geth, reth, Nethermind with expired history',
  'batches refused by 403',
  'geth',
  'publicnode, without an archive',
  'words of no known client',
  'Cloudflare: no overrides, no traces',
  'publicnode, without an address',
  'a node without `eth_getLogs`',
]
const isWanted = ({ name }: Gateway) => inject('deep') || SAMPLE.includes(name)
const chosen = gateways.filter(isWanted)
if (chosen.length < SAMPLE.length) throw new Error('the sample names a gateway that is not there')
/** `npm run test:deep` waits in real time for the first gateways, which limit rates. */
const REAL = inject('deep') ? 2 : 0
/** Longer than an answer is fresh. */
const NOT_FRESH_MS = 61_000
const random = seededRandom('gateways')
const bank = random.address()
/** A wallet for each gateway, all with the same actions. */
const labWallets = chosen.map(() => random.address())
/** New wallets that hold 1 to 14 dollars. */
const newWallets = Array.from({ length: 14 }, () => random.address())
const config = devnetConfig()

const REFUSED = [{ chain: 'ethereum', reason: 'not-allowed' }]

const devnet = await started(startDevnet({ state: inject('devnetState'), args: ['--slots-in-an-epoch', '1'] }))
const { actions, addresses, client } = devnet.chains.ethereum
/** The newest block before the lab, and after it. */
const start = await client.getBlockNumber()
for (const [i, wallet] of newWallets.entries()) {
  await actions.erc20.mint(addresses.tokens.usdc, wallet, parseUnits(String(i + 1), 6))
}
const lab = await playLab(devnet, labWallets, bank)
const { number, timestamp } = await client.getBlock()
const head = number
/** Chain time minus real time, in ms. */
const ahead = Number(timestamp) * 1_000 - Date.now()
const folder = mkdtempSync(join(tmpdir(), 'coffer-gateways-'))
writeFileSync(join(folder, 'coffer.json'), JSON.stringify(config))
afterAll(async () => rmSync(folder, { recursive: true }))

type Stage = { service: TestService; proxy: RpcProxy; wallet: EvmAddress; clock: ReturnType<typeof testClock> }

/** Runs a service behind an imitation of the gateway, and always ends it. */
async function behind(
  { rules, isReal = false }: Pick<Gateway, 'rules'> & { isReal?: boolean },
  wallet: EvmAddress,
  run: (stage: Stage) => Promise<void>,
): Promise<void> {
  const proxy = await startRpcProxy(devnet.chains.ethereum.url)
  const clock = testClock()
  const timer = isReal ? monotonicTimer : steppedTimer(proxy, clock.advance)
  proxy.add(...rules({ head, timer, isBatch: proxy.isBatch }), statesFrom(start))
  clock.advance(ahead)
  const service = await startService({ endpoints: { ethereum: [proxy.url] }, config, clock, timer })
  try {
    await service.context.database.pool.query("update account set plan = 'PRO'")
    await run({ service, proxy, wallet, clock })
  } finally {
    await service.stop()
    await proxy.stop()
  }
}

async function read({ service }: Pick<Stage, 'service'>, wallet: EvmAddress): Promise<Portfolio> {
  const { status, json, text } = await service.get(`/v1/portfolio?addresses=${wallet}&networks=ethereum`)
  expect([status, text.slice(0, 200)]).toEqual([200, expect.any(String)])
  return (json() as [Portfolio])[0]
}

/** Requested each minute until nothing more is found: complete, or marked for good. */
async function portfolioOf({ clock, ...stage }: Omit<Stage, 'wallet'>, wallet: EvmAddress): Promise<Cell> {
  return vi.waitFor(
    async () => {
      clock.advance(NOT_FRESH_MS)
      const { networth, incomplete } = await read(stage, wallet)
      if (incomplete.length > 0) expect(incomplete).toEqual(REFUSED)
      expect(networth).toBe(WORTH.now)
      return incomplete.length > 0 ? 'said' : 'whole'
    },
    { timeout: HANGS_MS, interval: 200 },
  )
}

const listed = async ({ service, wallet }: Stage) => {
  const { transactions, coverage } = await service.client.listTransactions({ query: { addresses: wallet, limit: 100 } })
  return { found: transactions.length, ranges: coverage.filter(({ chain }) => chain === 'ethereum') }
}

/** All of them, or fewer with the rest reported missing: those without a trace, those that logs name, or none. */
async function transactionsOf(stage: Stage): Promise<Cell> {
  const { found, ranges } = await listed(stage)
  if (ranges.every(({ complete }) => complete)) {
    expect(found).toBe(TRANSACTIONS.all)
    return 'whole'
  }
  const { untraced, logged, afterExpiry } = TRANSACTIONS
  expect([untraced, logged, afterExpiry, 0]).toContain(found)
  return 'said'
}

/** If they are `expected` to be complete, they are requested until they are: refusals are free, and the pace adapts. */
async function approvalsOf({ service, wallet }: Stage, expected: Cell | undefined): Promise<Cell> {
  const before = await service.client.getCredits()
  const ask = async () => {
    const response = await service.get(`/v1/approvals/ethereum?addresses=${wallet}`)
    return expected === 'whole' && response.status !== 200 ? undefined : response
  }
  const { status, json } = await vi.waitUntil(ask, { timeout: HANGS_MS, interval: 200 })
  if (status === 200) {
    const { items } = json() as { items: { amount: string }[] }
    expect(items.map(({ amount }) => amount)).toEqual(['0', '5000000', String(2n ** 256n - 1n)])
    return 'whole'
  }
  expect([status, json()]).toEqual([502, { message: 'A source that this answer needs could not be read' }])
  expect(await service.client.getCredits()).toBe(before)
  return 'refused'
}

const dateOf = (time: number) => new Date(time * 1_000).toISOString().slice(0, 10)

/** The operator backfills the day that began at the lab's midnight. Returns the command's output. */
async function backfilled({ service, proxy, wallet }: Stage): Promise<{ outcome: string; reason?: string }> {
  const date = dateOf(lab.midnight)
  const now = `create or replace function coffer_now() returns timestamptz language sql stable as 'select to_timestamp(${lab.midnight + 3_600})'`
  await service.context.database.pool.query(now)
  const env: Env = {
    DATABASE_URL: service.databaseUrl,
    COFFER_CHAINS: 'ethereum',
    COFFER_LOCAL_CHAINS: 'ethereum',
    COFFER_RPC_ETHEREUM: proxy.url,
    COFFER_CONFIG: join(folder, 'coffer.json'),
  }
  const days = ['--address', wallet, '--from', date, '--to', date, '--account', '1']
  return (await operator(env).admin('snapshot', 'backfill', ...days))[0]
}

/** From a node that keeps the state. A refused day is printed with its reason. */
async function pastDayOf(stage: Stage): Promise<Cell> {
  const { service, wallet } = stage
  const day = await backfilled(stage)
  if (day.outcome === 'not taken') {
    expect(['no-state', 'unreadable']).toContain(day.reason)
    return 'refused'
  }
  const date = dateOf(lab.midnight)
  expect(day).toEqual({ date, outcome: 'taken' })
  const portfolios = await service.client.getHistorical({ query: { addresses: wallet, date } })
  const said = portfolios.some(({ incomplete }) => incomplete.length > 0)
  expect(portfolios).toEqual([expect.objectContaining({ networth: WORTH.atMidnight, incomplete: said ? REFUSED : [] })])
  return said ? 'said' : 'whole'
}

/** A dollar more and some ether, found without a request. After a failed sync, another one reports it again. */
async function newBlocksOf(stage: Stage, synced: string): Promise<Cell> {
  const { service, wallet } = stage
  const { actions, addresses, send } = devnet.chains.ethereum
  const before = (await listed(stage)).found
  await actions.erc20.mint(addresses.tokens.usdc, wallet, parseUnits('1', 6))
  await send({ from: bank, to: wallet, value: parseEther('0.25') })
  if (synced !== 'done') {
    expect(await syncTransactions(service, wallet)).toBe(synced)
    expect(await listed(stage)).toMatchObject({ found: before, ranges: [{ complete: false, reason: 'not-offered' }] })
    return 'said'
  }
  await beginRound(service.context)
  const found = async () => (await listed(stage)).found - before
  await vi.waitFor(async () => expect(await found()).toBe(2), { timeout: HANGS_MS, interval: 100 })
  return 'whole'
}

describe('behind each gateway and client', { timeout: TIMEOUT_MS }, () => {
  test.each(chosen.map((gateway, i) => ({ ...gateway, isReal: i < REAL, wallet: labWallets[i] ?? bank })))(
    '$name',
    async ({ wallet, ...gateway }) => {
      await behind(gateway, wallet, async (stage) => {
        const { service } = stage
        const portfolio = await portfolioOf(stage, wallet)
        const synced = await syncTransactions(service, wallet)
        const transactions = await transactionsOf(stage)
        const approvals = await approvalsOf(stage, gateway.cells[3])
        const past = await pastDayOf(stage)
        const blocks = await newBlocksOf(stage, synced)
        expect([portfolio, transactions, blocks, approvals, past]).toEqual(gateway.cells)
      })
    },
  )
})

test.each([
  [95n, { outcome: 'not taken', chain: 'ethereum', reason: 'not-final' }],
  [96n, { outcome: 'taken' }],
])(
  'a node without the tag `finalized`: with %s blocks after it, of Ethereum’s 96, the first one of a day is judged',
  { timeout: TIMEOUT_MS },
  async (after, outcome) => {
    const { client } = devnet.chains.ethereum
    const midnight = await firstBlockAt(lab.midnight)
    const latest = await client.getBlock({ blockNumber: midnight + after })
    const gateway: Pick<Gateway, 'rules'> = {
      rules: () => [
        {
          when: ({ params }) => params[0] === 'finalized',
          fault: { error: { code: -32602, message: 'invalid argument 0: unknown tag' } },
        },
        {
          when: ({ method, params }) => method === 'eth_getBlockByNumber' && params[0] === 'latest',
          fault: { params: ([, whole]) => [`0x${latest.number.toString(16)}`, whole] },
        },
      ],
    }
    await behind(gateway, newWallets[0] ?? bank, async (stage) => {
      expect(await backfilled(stage)).toEqual({ date: dateOf(lab.midnight), ...outcome })
    })
  },
)

/** Searched back from the newest block of the lab. */
async function firstBlockAt(time: number): Promise<bigint> {
  const { client } = devnet.chains.ethereum
  for (let number = head; ; number -= 1n) {
    const { timestamp } = await client.getBlock({ blockNumber: number - 1n })
    if (timestamp < BigInt(time)) return number
  }
}

test.each(chosen.filter(({ cells }) => cells[0] === 'said').map(({ name, ...rest }) => ({ name, ...rest })))(
  '$name: 14 new wallets are all answered and all marked',
  { timeout: TIMEOUT_MS },
  async (gateway) => {
    await behind(gateway, bank, async (stage) => {
      for (const [i, wallet] of newWallets.entries()) expect((await read(stage, wallet)).networth).toBe(String(i + 1))
      // With a stopped clock, only the end of the background search can change the next answer.
      for (const wallet of newWallets) {
        await vi.waitFor(async () => expect((await read(stage, wallet)).incomplete).toEqual(REFUSED), {
          timeout: HANGS_MS,
        })
      }
      // Known after the first wallet, which takes some fourteen requests to find out what is served. Later wallets do
      // not ask again. A search has three filters (wallets at the first, second and third topic), and at most two
      // pieces.
      const asked = stage.proxy.calls().filter(({ method }) => method === 'eth_getLogs')
      expect(asked.length).toBeLessThan(7 * newWallets.length)
    })
  },
)
