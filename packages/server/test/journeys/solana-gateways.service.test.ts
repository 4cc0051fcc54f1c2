import type { Portfolio } from '@coffer/contract'
import { startSolanaDevnet } from '@coffer/devnet/solana'
import { describe, expect, test, vi } from 'vitest'
import { beginRound } from '../followed-wallets.ts'
import { type Cell, type SolanaGateway, solanaGateways } from '../gateways.ts'
import { HANGS_MS } from '../hangs.ts'
import { startService, type TestService, testClock } from '../harness.ts'
import { startRpcProxy } from '../rpc-proxy.ts'
import { sized } from '../sized.ts'
import { started } from '../started.ts'
import { steppedTimer } from '../stepped-timer.ts'
import { syncTransactions } from '../sync.ts'
import { shownLines } from './portfolio-lines.ts'

const SOL = 1_000_000_000n
/** Longer than an answer is fresh. */
const NOT_FRESH_MS = 61_000
/** Duration of the lab's stake, and a little. */
const DAYS_BACK = 3n * 86_400n
/** Signatures paid by the wallet: a transfer, one of tokens, a stake with its new account, and its delegation. */
const FEES = 5n * 5_000n

/** One gateway for each way to refuse. */
const SAMPLE = [
  'Solana’s public endpoints, 5 a second',
  'without `getTokenAccountsByOwner`',
  'without indexes of programs',
]
const chosen = solanaGateways.filter(({ name }) => sized({ small: SAMPLE.includes(name), deep: true }))
type Lab = { wallet: string; native: string; token: string; stake: string }

const devnet = await started(startSolanaDevnet({ unixTime: BigInt(Math.floor(Date.now() / 1000)) - DAYS_BACK }))
/** Wallet and holdings by gateway. */
const labs: Lab[] = []
for (const [i] of chosen.entries()) labs.push(await playLab(String(i)))
devnet.chain.moveToEpoch(devnet.chain.epoch() + 1n)

/** SOL in twice and out, a token in and out, a stake: seven transactions. */
async function playLab(name: string): Promise<Lab> {
  const { sol, mints, tokens, stake } = devnet.actions
  const [wallet, other] = [await devnet.keypair(`lab ${name}`), await devnet.keypair(`lab ${name}: other`)]
  const token = await mints.create(await devnet.keypair(`lab ${name}: token`), { decimals: 2 })
  await sol.give(wallet.address, 20n * SOL)
  await sol.give(wallet.address, 5n * SOL)
  await tokens.mint(token, wallet.address, 900n)
  await sol.transfer(wallet, other.address, SOL)
  const before = await devnet.chain.account(wallet.address)?.lamports
  await tokens.transfer(token, wallet, other.address, 200n)
  // The wallet pays the rent of the other's token account.
  const opened = (before ?? 0n) - (devnet.chain.account(wallet.address)?.lamports ?? 0n) - 5_000n
  const account = await devnet.keypair(`lab ${name}: stake`)
  await stake.create(wallet, account, 6n * SOL)
  await stake.delegate(wallet, account.address)
  const native = 24n * SOL - opened - 6n * SOL - stake.reserve - FEES
  return {
    wallet: wallet.address,
    native: `wallet 11111111111111111111111111111111=${native}`,
    token: `wallet ${token.mint.toLowerCase()}=700`,
    stake: 'native_stake ',
  }
}
const TRANSACTIONS = 7

type Stage = { service: TestService; clock: ReturnType<typeof testClock>; lab: Lab }

async function behind({ rules }: SolanaGateway, run: (stage: Omit<Stage, 'lab'>) => Promise<void>): Promise<void> {
  const proxy = await startRpcProxy(devnet.url)
  const clock = testClock()
  const timer = steppedTimer(proxy, clock.advance)
  proxy.add(...rules({ head: 0n, timer, isBatch: proxy.isBatch }))
  const service = await startService({
    ...{ endpoints: { solana: [proxy.url] }, clock, timer },
    env: { COFFER_PRICES: 'override' },
  })
  try {
    await run({ service, clock })
  } finally {
    await service.stop()
    await proxy.stop()
  }
}

/** Requested each minute until nothing more is found: complete, or marked for good. */
function portfolioOf({ service, clock, lab }: Stage): Promise<Cell> {
  return vi.waitFor(
    async () => {
      clock.advance(NOT_FRESH_MS)
      const { status, json } = await service.get(`/v1/portfolio?addresses=${lab.wallet}&waitForSync=true`)
      expect(status).toBe(200)
      const [portfolio] = json() as [Portfolio]
      const { incomplete } = portfolio
      const lines = shownLines(portfolio, 'solana').map((line) => (line.startsWith(lab.stake) ? lab.stake : line))
      const marked = incomplete.filter(({ reason }) => reason === 'not-allowed')
      expect(marked).toEqual(incomplete)
      const lacks = (isOfTokens: boolean) => marked.some(({ protocol }) => (protocol === undefined) === isOfTokens)
      const expected = [lab.native, ...(lacks(true) ? [] : [lab.token]), ...(lacks(false) ? [] : [lab.stake])]
      expect(lines.toSorted()).toEqual(expected.toSorted())
      return marked.length > 0 ? 'said' : 'whole'
    },
    { timeout: HANGS_MS, interval: 1_000 },
  )
}

async function listed({ service, lab }: Stage) {
  const { transactions, coverage } = await service.client.listTransactions({ query: { addresses: lab.wallet } })
  return { found: transactions.length, ranges: coverage }
}

async function transactionsOf(stage: Stage, synced: string): Promise<Cell> {
  const { found, ranges } = await listed(stage)
  if (synced === 'done') {
    expect([found, ranges.map(({ complete }) => complete)]).toEqual([TRANSACTIONS, [true]])
    return 'whole'
  }
  expect(synced).toBe('failed: solana#1 does not offer getTokenAccountsByOwner')
  expect([found, ranges]).toEqual([0, [expect.objectContaining({ complete: false, reason: 'not-offered' })]])
  return 'said'
}

async function newBlocksOf(stage: Stage, synced: string): Promise<Cell> {
  const { service, lab } = stage
  await devnet.actions.sol.give(lab.wallet as Parameters<typeof devnet.actions.sol.give>[0], SOL)
  if (synced !== 'done') {
    expect(await syncTransactions(service, lab.wallet)).toBe(synced)
    return transactionsOf(stage, synced)
  }
  await beginRound(service.context)
  const found = async () => (await listed(stage)).found
  await vi.waitFor(async () => expect(await found()).toBe(TRANSACTIONS + 1), { timeout: HANGS_MS, interval: 100 })
  return 'whole'
}

describe('behind each gateway of Solana', () => {
  test.each(chosen.map((gateway, i) => ({ ...gateway, i })))('$name', async ({ i, ...gateway }) => {
    await behind(gateway, async (without) => {
      const stage = { ...without, lab: labs[i] as Lab }
      const portfolio = await portfolioOf(stage)
      const synced = await syncTransactions(stage.service, stage.lab.wallet)
      const transactions = await transactionsOf(stage, synced)
      const blocks = await newBlocksOf(stage, synced)
      expect([portfolio, transactions, blocks]).toEqual(gateway.cells)
    })
  })
})

test('a wallet whose tokens were known keeps them, marked, where its node no longer lists token accounts', async () => {
  const lab = await playLab('known')
  const proxy = await startRpcProxy(devnet.url)
  const clock = testClock()
  const env = { COFFER_PRICES: 'override' }
  const service = await startService({ endpoints: { solana: [proxy.url] }, clock, env })
  const path = `/v1/portfolio?addresses=${lab.wallet}&waitForSync=true`
  const lines = (portfolio: Portfolio) => shownLines(portfolio, 'solana').filter((line) => !line.startsWith(lab.stake))
  expect(await portfolioOf({ service, clock, lab })).toBe('whole')
  proxy.add({
    when: ({ method }) => method === 'getTokenAccountsByOwner',
    fault: { error: { code: -32601, message: 'Method not found' } },
  })
  clock.advance(NOT_FRESH_MS)
  const [kept] = (await service.get(path)).json() as [Portfolio]
  expect(kept.incomplete).toEqual([{ chain: 'solana', reason: 'stale' }])
  expect(lines(kept).toSorted()).toEqual([lab.native, lab.token].toSorted())
  await service.stop()
  await proxy.stop()
})
