import type { Portfolio } from '@coffer/contract'
import { type Devnet, devnetConfig, ownArtifact, startDevnet } from '@coffer/devnet'
import type { Address } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { startService, type TestService, testClock } from '../harness.ts'
import { type Case, cases, NOTHING, type Planted } from '../hostile/cases.ts'
import { createHonestHoldings, honestTruth } from '../hostile/honest.ts'
import { createStage } from '../hostile/stage.ts'
import { seededRandom } from '../random.ts'
import { scaled, shownLines, trueLines, wrongSums } from './portfolio-lines.ts'

/** Longer than an answer is fresh. */
const NOT_FRESH_MS = 61_000
const MOST_ADDRESSES = 10
/** A contract that refuses so many reads is dropped. */
const REFUSALS = 3

type Played = Case & { wallet: Address; planted: Planted }
type Phase = 'expected' | 'turned' | 'atLast'

let devnet: Devnet
let service: TestService
let played: Played[]
let control: Address
const clock = testClock()

beforeAll(async () => {
  devnet = await startDevnet({ state: inject('devnetState') })
  const chain = devnet.chains.ethereum
  service = await startService({ endpoints: { ethereum: [chain.url] }, config: devnetConfig(), clock })
  const random = seededRandom('hostile')
  const artifact = { token: ownArtifact('HostileToken'), vault: ownArtifact('HostileVault') }
  const stage = createStage({ chain, artifact }, random)
  const give = await createHonestHoldings(chain, random.address())
  control = random.address()
  await give(control)
  played = []
  for (const each of cases) {
    const wallet = random.address()
    await give(wallet)
    played.push({ ...each, wallet, planted: await each.plant(stage, wallet) })
  }
}, 300_000)
afterAll(async () => {
  await service?.stop()
  await devnet?.stop()
})

/** New reads of all wallets. */
async function readAll(): Promise<Map<Address, Portfolio>> {
  await devnet.chains.ethereum.actions.feeds.refresh()
  clock.advance(NOT_FRESH_MS)
  const found = new Map<Address, Portfolio>()
  for (let from = 0; from < played.length; from += MOST_ADDRESSES) {
    const wallets = played.slice(from, from + MOST_ADDRESSES).map(({ wallet }) => wallet)
    const portfolios = await service.client.getPortfolio({ query: { addresses: wallets.join(), waitForSync: true } })
    for (const [i, portfolio] of portfolios.entries()) found.set(wallets[i] as Address, portfolio)
  }
  return found
}

/** Contracts that were planted and that the search behind the reads has not found yet. */
async function notFound(): Promise<string[]> {
  const { db } = service.context.database
  const rows = await db.selectFrom('wallet_token').select(['wallet', 'address']).execute()
  const known = new Set(rows.map(({ wallet, address }) => `${wallet} ${address}`))
  const planted = played.flatMap(({ wallet, planted: { contracts } }) =>
    contracts.map((contract) => `${wallet} ${contract.toLowerCase()}`),
  )
  return planted.filter((each) => !known.has(each))
}

/** Lines of what the stranger sent are his; all others must be what the wallet honestly has. */
function honestLines(portfolio: Portfolio, { contracts, tokens = [] }: Planted): string[] {
  const strange = [...contracts, ...tokens].map((contract) => contract.toLowerCase())
  return shownLines(portfolio, 'ethereum').filter((line) => !strange.some((contract) => line.includes(contract)))
}

type Honest = Awaited<ReturnType<typeof honestTruth>>

/** What the wallet's answer says, and what it should say. */
function compare({ name, planted }: Played, portfolio: Portfolio | undefined, { truth, usd }: Honest, phase: Phase) {
  const { worth, gaps } = { ...NOTHING, ...planted[phase] }
  const saw = portfolio && {
    name,
    lines: honestLines(portfolio, planted),
    gained: scaled(portfolio.networth) - usd,
    gaps: portfolio.incomplete,
    sums: wrongSums(portfolio),
  }
  const should = {
    name,
    lines: trueLines(truth),
    gained: worth,
    gaps: gaps.map((gap) => ({ chain: 'ethereum', ...gap })),
    sums: [],
  }
  return { saw, should }
}

/** All wallets hold the same of what is honest: what it is, is read of the one that nobody sent anything. */
async function expectPhase(phase: Phase): Promise<void> {
  const portfolios = await readAll()
  const block = await devnet.chains.ethereum.client.getBlockNumber()
  const honest = await honestTruth(devnet, control, block)
  const compared = played.map((each) => compare(each, portfolios.get(each.wallet), honest, phase))
  expect(compared.map(({ saw }) => saw)).toEqual(compared.map(({ should }) => should))
}

it('finds what strangers sent', { timeout: 120_000 }, async () => {
  await readAll()
  await expect.poll(notFound, { timeout: 60_000 }).toEqual([])
})

it('shows honest holdings whole, and of what strangers sent what it can be turned into', {
  timeout: 120_000,
}, async () => {
  await expectPhase('expected')
})

it('goes on so when what was honest turns', { timeout: 120_000 }, async () => {
  for (const { planted } of played) await planted.turn?.()
  await expectPhase('turned')
})

it('drops what goes on refusing', { timeout: 120_000 }, async () => {
  for (let read = 1; read < REFUSALS; read += 1) await readAll()
  await expectPhase('atLast')
})
