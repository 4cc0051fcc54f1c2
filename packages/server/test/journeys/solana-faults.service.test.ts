import { zstdDecompressSync } from 'node:zlib'
import type { Portfolio } from '@coffer/contract'
import { buildDemoWallet, startSolanaDevnet } from '@coffer/devnet/solana'
import { formatUnits } from 'viem'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { HANGS_MS } from '../hangs.ts'
import { startService, type TestService, testClock } from '../harness.ts'
import { readPortfolio } from '../portfolio-reads.ts'
import { type Fault, type RpcCall, type Rule, raw, refusal, result, startRpcProxy } from '../rpc-proxy.ts'
import { started } from '../started.ts'
import { steppedTimer } from '../stepped-timer.ts'
import { gapsOf, shownLines } from './portfolio-lines.ts'

/** Duration of the demonstration wallet's stakes, and a little. */
const DAYS_BACK = 5n * 86_400n
/** Longer than an answer is fresh. */
const NOT_FRESH_MS = 61_000
/** Longer than any pause of an endpoint, and of a refused search. */
const LATER_MS = 31 * 60_000
/** Part of every endpoint's URL. Only the endpoint may ever see it. */
const SECRET = 'k3y-0f-th3-n0d3'
const SOL = '11111111111111111111111111111111'
const STAKE_PROGRAM = 'Stake11111111111111111111111111111111111111'

const clock = testClock()
/** Wallets with the same SOL and the same token, never requested. */
let wallets = 0

const devnet = await started(startSolanaDevnet({ unixTime: BigInt(Math.floor(Date.now() / 1000)) - DAYS_BACK }))
const demo = await buildDemoWallet(devnet)
const proxy = await started(startRpcProxy(devnet.url))
const timer = steppedTimer(proxy, clock.advance)
const service = await started(startService({ endpoints: { solana: [`${proxy.url}/${SECRET}`] }, clock, timer }))
/** Lines of the demonstration wallet. Its chain adds no slots: they stay true. */
const truth = await untilWhole(service)

beforeEach(() => clock.advance(LATER_MS))
afterEach(async () => {
  proxy.reset()
  expect(await service.ledgerProblems()).toEqual([])
})

type Answer = { status: number; portfolio: Portfolio | undefined }

/**
 * Requests a new read and checks invariants of every answer: the status fits the body and the charge, nothing leaks.
 */
async function read(wallet: string, from: TestService = service): Promise<Answer> {
  const before = await from.client.getCredits()
  const { status, text, json } = await from.get(`/v1/portfolio?addresses=${wallet}&waitForSync=true`)
  const charged = before - (await from.client.getCredits())
  for (const secret of [SECRET, '127.0.0.1', 'getMultipleAccounts', 'select ', '.ts:'])
    expect(text).not.toContain(secret)
  if (status !== 200) {
    expect([status, json(), charged]).toEqual([502, { error: 'Bad Gateway', message: expect.any(String) }, 0])
    return { status, portfolio: undefined }
  }
  expect(charged).toBe(1)
  return { status, portfolio: (json() as Portfolio[])[0] }
}

/** Without the token that grows over time. */
function linesOf(portfolio: Portfolio | undefined): string[] {
  const growing = demo.tokens.interest.mint.toLowerCase()
  return portfolio ? shownLines(portfolio, 'solana').filter((line) => !line.includes(growing)) : []
}

/** Reads until positions of used programs are there: no background work is left then. */
async function untilWhole(from: TestService): Promise<string[]> {
  const stakes = Object.keys(demo.stakes).length
  return vi.waitFor(
    async () => {
      clock.advance(NOT_FRESH_MS)
      const { portfolio } = await read(demo.address, from)
      const lines = linesOf(portfolio)
      expect(portfolio?.incomplete).toEqual([])
      expect(lines.filter((line) => line.startsWith('native_stake '))).toHaveLength(stakes)
      return lines
    },
    { timeout: HANGS_MS },
  )
}

/** Requests in progress at the end of the fault may still fail and pause the endpoint once more. */
function readWhole(wallet: string): Promise<string[]> {
  const answer = async () => {
    clock.advance(LATER_MS)
    const { portfolio } = await read(wallet)
    expect(portfolio?.incomplete).toEqual([])
    return linesOf(portfolio)
  }
  return vi.waitFor(answer, { timeout: HANGS_MS })
}

/** Finds of an earlier background search may be read while the clock moves. They are new and complete then. */
function readMarked(wallet: string): Promise<Portfolio | undefined> {
  const answer = async () => {
    clock.advance(NOT_FRESH_MS)
    const { status, portfolio } = await read(wallet)
    expect(status).toBe(200)
    expect(gapsOf(portfolio)).not.toEqual([])
    return portfolio
  }
  return vi.waitFor(answer, { timeout: HANGS_MS })
}

/** A wallet with SOL and a token. */
async function newWallet(): Promise<{ address: string; lines: string[] }> {
  wallets += 1
  const wallet = await devnet.keypair(`held through faults ${wallets}`)
  await devnet.actions.sol.give(wallet.address, 3_000_000_000n)
  const token = await devnet.actions.mints.create(await devnet.keypair(`token ${wallets}`), { decimals: 4 })
  await devnet.actions.tokens.mint(token, wallet.address, 70_000n)
  return {
    address: wallet.address,
    lines: [`wallet ${SOL}=3000000000`, `wallet ${token.mint.toLowerCase()}=70000`].toSorted(),
  }
}

/** Changes every account of an answer: of a list, of a list with keys, or a single one. */
function everyAccount(change: (account: Record<string, unknown>) => unknown, owner?: string): Fault {
  const changed = (account: unknown) => {
    if (typeof account !== 'object' || account === null) return account
    const record = account as Record<string, unknown>
    return owner === undefined || record['owner'] === owner ? change(record) : account
  }
  return {
    answer(envelope) {
      const result = envelope['result'] as { value?: unknown }
      if (!Array.isArray(result?.value)) return envelope
      const value = result.value.map((item: { account?: unknown } | null) =>
        item?.account === undefined ? changed(item) : { ...item, account: changed(item.account) },
      )
      return { ...envelope, result: { ...result, value } }
    },
  }
}

const bytesOf = ({ data }: Record<string, unknown>) => {
  const [text, encoding] = data as [string, string]
  const bytes = Buffer.from(text, 'base64')
  return encoding === 'base64+zstd' ? zstdDecompressSync(bytes) : bytes
}
const base64Of = (account: Record<string, unknown>) => bytesOf(account).toString('base64')
const withData = (account: Record<string, unknown>, text: string) => ({ ...account, data: [text, 'base64'] })
const shortened = (account: Record<string, unknown>) => withData(account, base64Of(account).slice(0, -3))
/** Whole groups remain, so only the length shows it. */
const halved = (account: Record<string, unknown>) => {
  const text = base64Of(account)
  return withData(account, text.slice(0, Math.floor(text.length / 8) * 4))
}

/** A request with a minimum slot from an earlier answer. */
const isLaterBatch = ({ params }: RpcCall) =>
  params.some((param) => typeof param === 'object' && param !== null && 'minContextSlot' in param)
const behindLater = { when: isLaterBatch, fault: refusal(-32016, 'Minimum context slot has not been reached') }
const readsAccounts = ({ method }: RpcCall) => method === 'getMultipleAccounts'
const readsTokens = ({ method }: RpcCall) => method === 'getTokenAccountsByOwner'

const FAULTS: [name: string, rule: Rule][] = [
  ['429', { fault: raw(429, 'slow down') }],
  ['429 with Retry-After', { fault: raw(429, '', { 'retry-after': '7' }) }],
  ['500', { fault: raw(500, `{"error":"${SECRET}"}`) }],
  ['200 with a page', { fault: raw(200, '<html>please log in</html>') }],
  ['cut JSON', { fault: raw(200, '{"jsonrpc":"2.0","id":1,"resu') }],
  ['connection reset', { fault: { socket: 'reset' } }],
  ['a node that is behind', { fault: refusal(-32005, 'Node is behind by 4200 slots') }],
  ['a node that is behind between batches', behindLater],
  ['a node that holds accounts back', { fault: refusal(-32010, `excluded from account secondary indexes ${SECRET}`) }],
  ['result null', { fault: result(null) }],
  ['no slot', { fault: result({ value: [] }) }],
  ['no accounts', { when: readsAccounts, fault: result({ context: { slot: 1 }, value: [] }) }],
  ['accounts cut in a group of base64', { fault: everyAccount(shortened) }],
  ['accounts cut between groups of base64', { fault: everyAccount(halved) }],
  ['token accounts cut short', { when: readsTokens, fault: everyAccount(halved) }],
  ['accounts in another encoding', { fault: everyAccount((account) => ({ ...account, data: ['1111', 'base58'] })) }],
  ['accounts without lamports', { fault: everyAccount(({ lamports: _, ...account }) => account) }],
  ['lamports in parts', { fault: everyAccount((account) => ({ ...account, lamports: 0.5 })) }],
]

it('every token of a wallet is shown as its program shows it', async () => {
  const { assetByProtocols, asOf } = await readPortfolio(service, demo.address, false)
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

it('stakes are separated by their state', async () => {
  const { assetByProtocols } = await readPortfolio(service, demo.address, false)
  const staked = assetByProtocols['native_stake']?.chains['solana']?.protocolPositions['STAKED']
  const lamports = Object.values(demo.stakes).map(({ lamports: each }) => each)
  const shown = (staked?.protocolPositions ?? []).flatMap(({ assets }) => assets.map(({ balance }) => balance))
  expect(shown.toSorted()).toEqual(lamports.map((each) => formatUnits(each, 9)).toSorted())
  expect(lamports.some((each) => each > 0n)).toBe(true)
})

it('a wallet that holds nothing is empty, not missing', async () => {
  const { address } = await devnet.keypair('who holds nothing')
  const { networth, incomplete } = await readPortfolio(service, address, false)
  expect([networth, incomplete]).toEqual(['0', [{ chain: 'solana', reason: 'searching' }]])
  await expect.poll(async () => (await readPortfolio(service, address, false)).incomplete).toEqual([])
})

describe.each(FAULTS)('%s', (_, rule) => {
  it('keeps what is known, gives back what cannot be answered, and recovers', async () => {
    const unknown = await newWallet()
    proxy.add(rule)
    const known = await readMarked(demo.address)
    const first = await read(unknown.address)
    expect(linesOf(known)).toEqual(truth)
    // Without a last good figure: a complete answer or none.
    if (first.portfolio) expect(linesOf(first.portfolio)).toEqual(unknown.lines)

    proxy.reset()
    expect(await readWhole(unknown.address)).toEqual(unknown.lines)
    expect(await readWhole(demo.address)).toEqual(truth)
  })
})

it('leaves a node that starts to lag between batches for one that does not', async () => {
  const other = await startRpcProxy(devnet.url)
  const both = await startService({ endpoints: { solana: [proxy.url, other.url] }, clock })
  proxy.add(behindLater)
  expect(await untilWhole(both)).toEqual(truth)
  await both.stop()
  await other.stop()
})

it('tells all but the protocol whose accounts are of a version that is not known', async () => {
  const unknownVersion = (account: Record<string, unknown>) => {
    const data = bytesOf(account)
    data.writeUInt32LE(9, 0)
    return withData(account, data.toString('base64'))
  }
  const isSearch = ({ method }: RpcCall) => method === 'getProgramAccounts'
  proxy.add({ when: isSearch, fault: everyAccount(unknownVersion, STAKE_PROGRAM) })
  const known = await read(demo.address)
  expect(linesOf(known.portfolio)).toEqual(truth)
  expect(gapsOf(known.portfolio)).toEqual([{ chain: 'solana', protocol: 'native_stake', reason: 'stale' }])

  const fresh = await startService({ endpoints: { solana: [proxy.url] }, clock })
  const withoutStakes = truth.filter((line) => !line.startsWith('native_stake '))
  await vi.waitFor(
    async () => {
      clock.advance(NOT_FRESH_MS)
      const { portfolio } = await read(demo.address, fresh)
      expect(gapsOf(portfolio)).toEqual([{ chain: 'solana', protocol: 'native_stake', reason: 'unreadable' }])
      expect(linesOf(portfolio)).toEqual(withoutStakes)
    },
    { timeout: HANGS_MS },
  )
  await fresh.stop()
})

it('calls a token without metadata by the beginning of its mint, and holds it', async () => {
  const { address, lines } = await newWallet()
  const { portfolio } = await read(address)
  expect(linesOf(portfolio)).toEqual(lines)
  const assets = Object.values(
    portfolio?.assetByProtocols['wallet']?.chains['solana']?.protocolPositions['WALLET']?.assets ?? {},
  )
  const token = assets.find(({ contract }) => contract !== SOL)
  const name = token?.contract.slice(0, 6).toLowerCase()
  expect(token).toMatchObject({ symbol: name, name, balance: '7', price: '0' })
})
