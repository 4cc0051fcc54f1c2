import type { Portfolio } from '@coffer/contract'
import { devnetConfig, ownArtifact, startDevnet } from '@coffer/devnet'
import type { Address } from 'viem'
import { expect, inject, it } from 'vitest'
import { startService, testClock } from '../harness.ts'
import { type Case, casesOf, NOTHING, type Planted } from '../hostile/cases.ts'
import { expectedFigures, honestFigures, untrustedFigures } from '../hostile/figures.ts'
import { createHonestHoldings, honestTruth } from '../hostile/honest.ts'
import { createStage } from '../hostile/stage.ts'
import { readPortfolios } from '../portfolio-reads.ts'
import { seededRandom } from '../random.ts'
import { sized } from '../sized.ts'
import { started } from '../started.ts'
import { syncAll } from '../sync.ts'
import { scaled, shownLines, trueLines, wrongSums } from './portfolio-lines.ts'

/** Longer than an answer is fresh. */
const NOT_FRESH_MS = 61_000
const MOST_ADDRESSES = 10
const CASES = casesOf(sized({ small: 5, deep: 1 }))
/** A contract is dropped after this many refused reads. */
const REFUSALS = 3

type Played = Case & { wallet: Address; planted: Planted }
type Phase = 'expected' | 'turned' | 'atLast'

const clock = testClock()

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const chain = devnet.chains.ethereum
const random = seededRandom('hostile')
const artifact = { token: ownArtifact('HostileToken'), vault: ownArtifact('HostileVault') }
const stage = await createStage({ chain, artifact }, random)
const shipped = devnetConfig()
const list = { chain: 'ethereum', address: stage.listedToken.address, symbol: 'LIST', name: 'Listed', decimals: 18 }
const config = { ...shipped, tokens: [...shipped.tokens, list] }
const service = await started(startService({ endpoints: { ethereum: [chain.url] }, config, clock }))
const give = await createHonestHoldings(chain, random.address())
const control = random.address()
await give(control)
await syncAll(service, [control])
const played: Played[] = []
// In tens, while the node's memory has the history's blocks.
for (let from = 0; from < CASES.length; from += MOST_ADDRESSES) {
  for (const each of CASES.slice(from, from + MOST_ADDRESSES)) {
    const wallet = random.address()
    await give(wallet)
    played.push({ ...each, wallet, planted: await each.plant(stage, wallet) })
  }
  await syncAll(
    service,
    played.slice(from).map(({ wallet }) => wallet),
  )
}

/** New reads of all wallets. */
async function readAll(): Promise<Map<Address, Portfolio>> {
  await devnet.chains.ethereum.actions.feeds.refresh()
  clock.advance(NOT_FRESH_MS)
  return readPortfolios(service, [control, ...played.map(({ wallet }) => wallet)])
}

/** Planted contracts that the background search has not found yet. */
async function notFound(): Promise<string[]> {
  const { db } = service.context.database
  const rows = await db.selectFrom('wallet_token').select(['wallet', 'address']).execute()
  const known = new Set(rows.map(({ wallet, address }) => `${wallet} ${address}`))
  const planted = played.flatMap(({ wallet, planted: { contracts } }) =>
    contracts.map((contract) => `${wallet} ${contract.toLowerCase()}`),
  )
  return planted.filter((each) => !known.has(each))
}

/** Lines of the attacker's tokens are his. All others must equal the wallet's honest lines. */
function honestLines(portfolio: Portfolio, { contracts, tokens = [] }: Planted): string[] {
  const strange = [...contracts, ...tokens].map((contract) => contract.toLowerCase())
  return shownLines(portfolio, 'ethereum').filter((line) => !strange.some((contract) => line.includes(contract)))
}

/** Holdings of all wallets, and the answer of the control wallet, which got nothing from the attacker. */
type Honest = Awaited<ReturnType<typeof honestTruth>> & { control: Portfolio }

/** Compares the wallet's answer with the expected one. */
function compare(
  { name, planted }: Played,
  portfolio: Portfolio | undefined,
  { truth, usd, control }: Honest,
  phase: Phase,
) {
  const expected = { ...NOTHING, ...planted[phase] }
  const { worth, gaps } = expected
  const saw = portfolio && {
    name,
    figures: honestFigures(portfolio, planted),
    strange: untrustedFigures(portfolio, control),
    lines: honestLines(portfolio, planted),
    gained: scaled(portfolio.networth) - usd,
    gaps: portfolio.incomplete,
    sums: wrongSums(portfolio),
  }
  const should = {
    name,
    figures: honestFigures(control, planted),
    strange: expectedFigures(expected),
    lines: trueLines(truth),
    gained: worth,
    gaps: gaps.map((gap) => ({ chain: 'ethereum', ...gap })),
    sums: [],
  }
  return { saw, should }
}

/** Plain tokens came at the feeds' prices: 1 ETH, 10 LINK and 1,000 USDC, plus the NFT's remainder. */
const PLAIN_FIGURES = {
  eth: '3000',
  link: '150',
  usdc: '1000.021031',
  closedPnl: '0',
  dailyIncome: '0',
  pnlIncomplete: [],
}

function plainFigures({ assetByProtocols, closedPnl, dailyIncome, pnlIncomplete }: Portfolio) {
  const costs = (assetByProtocols['wallet']?.assets ?? []).map(({ symbol, totalCostBasis, openPnl }) => {
    expect(openPnl).toBe('0')
    return [symbol, totalCostBasis] as const
  })
  const { eth, link, usdc } = Object.fromEntries(costs)
  return { eth, link, usdc, closedPnl, dailyIncome, pnlIncomplete }
}

/** All wallets have the same honest holdings, read from the control wallet. */
async function expectPhase(phase: Phase): Promise<void> {
  const portfolios = await readAll()
  const block = await devnet.chains.ethereum.client.getBlockNumber()
  const ofControl = portfolios.get(control)
  if (!ofControl) throw new Error('the control wallet has no answer')
  const honest = { ...(await honestTruth(devnet, control, block)), control: ofControl }
  expect(plainFigures(ofControl)).toEqual(PLAIN_FIGURES)
  const compared = played.map((each) => compare(each, portfolios.get(each.wallet), honest, phase))
  expect(compared.map(({ saw }) => saw)).toEqual(compared.map(({ should }) => should))
}

it('finds untrusted tokens', async () => {
  await readAll()
  await expect.poll(notFound).toEqual([])
})

it('shows honest holdings whole, and untrusted tokens at what they can be sold for', async () => {
  await expectPhase('expected')
})

it('does the same when an honest contract turns hostile', async () => {
  for (const { planted } of played) await planted.turn?.()
  await expectPhase('turned')
})

it('drops contracts that keep refusing', async () => {
  for (let read = 1; read < REFUSALS; read += 1) await readAll()
  await expectPhase('atLast')
})
