import {
  type Portfolio,
  type PortfolioAsset,
  type PortfolioSeries,
  portfolio as portfolioSchema,
} from '@coffer/contract'
import { startDevnet } from '@coffer/devnet'
import type { Locator, Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { decimal, formatDecimal } from '../../src/domain/decimal.ts'
import { figuresIn, savedFile, untilSearched } from '../browser/page-actions.ts'
import { randomPortfolio } from '../browser/random-portfolio.ts'
import { startSignedInPortal } from '../browser/signed-in-portal.ts'
import { type PageOptions, startBrowser, type TestPage } from '../browser/start-browser.ts'
import { seededRandom } from '../random.ts'
import { randomOf } from '../random-of.ts'
import { sized } from '../sized.ts'
import { started } from '../started.ts'

// Overview and holdings of a wallet show the API's answer at the same block, to the last digit.

const SMALL_USD = 1
const ROUNDS = sized({ small: 1, deep: 5 })
const LISTS = [
  ...(['assets', 'supplyAssets', 'borrowAssets', 'rewardAssets'] as const),
  ...(['dexAssets', 'marginAssets', 'baseAssets', 'quoteAssets'] as const),
]
const PERPETUAL = ['size', 'entryPrice', 'leverage', 'marginUsed', 'liquidationPrice'] as const

const browser = startBrowser()

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const portal = await started(startSignedInPortal(browser, { devnet }))
const { service } = portal
const wallet = devnet.wallets.demo.address.toLowerCase()
await service.client.addToAddressBook({ body: { entries: [{ address: wallet, label: 'Cold' }] } })
await untilSearched(service, wallet)

async function signedIn(options: Partial<PageOptions> = {}): Promise<TestPage> {
  const opened = await portal.newPage(options)
  await opened.page.context().addCookies([{ ...portal.user.cookie, url: portal.baseUrl }])
  return opened
}

/** Opens a screen. Returns its answer about the wallet. */
async function open(page: Page, path: string): Promise<Portfolio> {
  const [response] = await Promise.all([
    page.waitForResponse((one) => one.url().includes('/v1/portfolio?')),
    page.goto(path),
  ])
  const [portfolio] = (await response.json()) as Portfolio[]
  if (!portfolio) throw new Error('no portfolio in the answer')
  return portfolio
}

const tokensOf = ({ assetByProtocols }: Portfolio): PortfolioAsset[] =>
  Object.values(assetByProtocols['wallet']?.chains ?? {}).flatMap(
    ({ protocolPositions }) => protocolPositions.WALLET?.assets ?? [],
  )

const shownTokens = (assets: readonly PortfolioAsset[]) =>
  assets.map(({ value, balance, price, priceSource, openPnl }) =>
    priceSource === null ? ['N/A', balance, openPnl] : [value, balance, price, openPnl],
  )

test('tokens and positions carry the figures of the answer', async () => {
  const opened = await signedIn()
  const { page } = opened
  const portfolio = await open(page, '/a/1/portfolio')
  const rows = page.getByRole('region', { name: 'Tokens' }).locator('tbody tr')
  await page.getByLabel(/^Show \d+ small or unpriced$/).waitFor()
  const shown = async () => (await Promise.all((await rows.all()).map(figuresIn))).sort()
  const tokens = tokensOf(portfolio)
  const large = tokens.filter(({ value, priceSource }) => priceSource !== null && Number(value) >= SMALL_USD)
  await expect.poll(shown).toEqual(shownTokens(large).sort())
  await page.getByLabel(/^Show \d+ small or unpriced$/).check()
  await expect.poll(shown).toEqual(shownTokens(tokens).sort())
  // The devnet gives the wallet 12.5 ETH at 3,000.
  await expect.poll(() => rows.filter({ hasText: 'ETH' }).filter({ hasText: '$37,500.00' }).count()).toBe(1)

  const { wallet: _, ...protocols } = portfolio.assetByProtocols
  for (const { name, value } of Object.values(protocols)) {
    const card = page.locator('section', { has: page.getByRole('heading', { level: 2, name, exact: true }) })
    await expect.poll(async () => (await figuresIn(card))[0], { message: name }).toBe(value)
  }
  await expect.poll(() => figuresIn(page.locator('[data-figure=net-worth]'))).toEqual([portfolio.networth])
  expect(await opened.barriers()).toEqual([])
  await opened.clean()
})

const timeOf = (portfolio: Portfolio | undefined) => new Date(Number(portfolio?.lastUpdated)).toISOString()

test('a past time shows the holdings at the last block before it, and Now those of the present', async () => {
  const opened = await signedIn()
  const { page } = opened
  const present = await open(page, '/a/1/portfolio')
  const at = present.asOf['ethereum']?.timestamp.slice(0, 16) ?? ''
  const query = { addresses: [wallet], date: `${at}:00Z` }
  const [past] = await service.client.getPortfolioAtBlock({ query })
  const netWorth = () => figuresIn(page.locator('[data-figure=net-worth]'))
  const field = page.getByLabel('At a past time (UTC)')
  await field.fill(at)
  await expect.poll(netWorth).toEqual([past?.networth])
  await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBe(at)
  const statement = page.getByRole('link', { name: 'Printable statement' })
  const stateOf = page.getByText('State of')
  await expect.poll(() => stateOf.locator('time').getAttribute('datetime')).toBe(timeOf(past))
  await expect.poll(() => statement.getAttribute('href')).toContain(`date=${encodeURIComponent(query.date)}`)
  expect(await opened.barriers()).toEqual([])
  // Before the chain.
  await field.fill('2020-01-01T00:00')
  await expect.poll(netWorth).toEqual(['0'])
  await page.getByRole('button', { name: 'Now', exact: true }).click()
  await expect.poll(netWorth).toEqual([present.networth])
  await expect.poll(() => field.inputValue()).toBe('')
  await expect.poll(() => statement.getAttribute('href')).not.toContain('date=')
  await expect.poll(() => stateOf.count()).toBe(0)
  await opened.clean()
})

/** A debt is negative. */
const owed = (figure: string): string => (figure === '0' || figure.startsWith('-') ? figure : `-${figure}`)

/** A protocol's figures on its card, in any order. An open gain only if known. */
function protocolFigures(protocol: Portfolio['assetByProtocols'][string]): string[] {
  const held = (assets: readonly PortfolioAsset[]) =>
    assets.flatMap(({ balance, value, priceSource, side }) =>
      (priceSource === null ? [balance] : [balance, value]).map((figure) => (side ? owed(figure) : figure)),
    )
  const known = (gain: string) => (gain === 'N/A' ? [] : [gain])
  const groups = groupsOf(protocol)
  const deposits = groups
    .filter(({ assets }) => assets.length > 0)
    .flatMap((group) => [group.totalValue, ...known(group.totalOpenPnl), ...held(group.assets)])
  const positions = groups
    .flatMap(({ protocolPositions }) => protocolPositions)
    .flatMap((position) => [
      ...[position.value, ...known(position.totalOpenPnl)],
      ...(position.side ? PERPETUAL.map((figure) => position[figure] ?? 'N/A') : []),
      ...LISTS.flatMap((list) => held(position[list])),
    ])
  return [protocol.value, ...deposits, ...positions]
}

const groupsOf = ({ chains }: Portfolio['assetByProtocols'][string]) =>
  Object.values(chains).flatMap(({ protocolPositions }) => Object.values(protocolPositions))
const healthsOf = (protocol: Portfolio['assetByProtocols'][string]): string[] =>
  groupsOf(protocol).flatMap((group) => group.protocolPositions.flatMap(({ healthRate }) => healthRate ?? []))

test('figures of any size, sign and precision reach the screen as the answer spells them', async () => {
  const { seed } = seededRandom('figures on the screen')
  const opened = await signedIn()
  const { page } = opened
  for (let round = 0; round < ROUNDS; round += 1) {
    const reported = portfolioSchema.parse(randomPortfolio(randomOf(seed + round), wallet))
    await page.unrouteAll()
    await page.route(/\/v1\/portfolio\?/, (route) => route.fulfill({ json: [reported] }))
    await page.goto('/a/1/portfolio')
    const about = `seed ${seed + round}`
    const netWorth = page.locator('[data-figure=net-worth]')
    await netWorth.waitFor()
    await expect.poll(() => figuresIn(netWorth), { message: about }).toEqual([reported.networth])
    const tokens = tokensOf(reported)
    const folded = page.getByLabel(/^Show \d+ small or unpriced$/)
    if ((await folded.count()) > 0) await folded.check()
    const rows = page.getByRole('region', { name: 'Tokens' }).locator('tbody tr')
    const shown = async () => (await Promise.all((await rows.all()).map(figuresIn))).sort()
    await expect.poll(shown, { message: about }).toEqual(shownTokens(tokens).sort())

    const { wallet: _, ...protocols } = reported.assetByProtocols
    for (const protocol of Object.values(protocols)) {
      const heading = page.getByRole('heading', { level: 2, name: protocol.name, exact: true })
      const card = page.locator('section', { has: heading })
      const more = card.getByRole('button', { name: /^Show \d+ more$/ })
      if ((await more.count()) > 0) await more.click()
      const figures = async () => (await figuresIn(card)).sort()
      await expect.poll(figures, { message: about }).toEqual(protocolFigures(protocol).sort())
      const health = card.locator('dt', { hasText: /^Health$/ }).locator('xpath=following-sibling::dd/span')
      const healths = await health.evaluateAll((all) => all.map((one) => one.getAttribute('title') ?? ''))
      expect(healths.sort(), about).toEqual(healthsOf(protocol).sort())
    }
    const titles = await page
      .locator('data')
      .evaluateAll((all) => all.map((one) => [one.getAttribute('value'), one.getAttribute('title')]))
    const unlike = titles.filter(([value, title]) => value !== title)
    expect(unlike, about).toEqual([])
  }
  await opened.clean()
})

/** Opens the explanation of ether's worth. */
async function openWhy(page: Page): Promise<Locator> {
  const ether = page.getByRole('row', { name: /^ETH/ }).filter({ hasText: '$37,500.00' })
  await ether.getByRole('button', { name: 'Why Value of ETH?' }).click()
  return page.getByRole('dialog', { name: 'Value of ETH' })
}

test('a value opens what it follows from', async () => {
  const opened = await signedIn({ theme: 'dark', viewport: { width: 320, height: 640 } })
  const { page } = opened
  const portfolio = await open(page, '/a/1/portfolio')
  const why = await openWhy(page)
  const reported = await why.textContent()
  expect(reported).toContain('12500000000000000000')
  expect(reported).toContain('37500')
  expect(reported).toContain(portfolio.asOf['ethereum']?.block)
  const answered = tokensOf(portfolio).find(({ chain, value }) => chain === 'ethereum' && value === '37500')
  expect(reported).toContain(`Price source${answered?.priceSource}`)
  expect(reported).toContain('Cold › Wallet')
  expect(await opened.barriers()).toEqual([])
  await opened.clean()
})

test('a value says how sure its price is, its path, and what else prices it, once it is opened', async () => {
  await devnet.refreshFeeds()
  const opened = await signedIn({ viewport: { width: 320, height: 640 } })
  const { page } = opened
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/prices/why')) asked.push(request.url())
  })
  await open(page, '/a/1/portfolio')
  expect(asked).toEqual([])
  const why = (await openWhy(page)).getByRole('region', { name: 'Current price' })
  // By Aave's oracle, which has no time; ether's own feed confirms it.
  await why.getByText('High confidence').waitFor()
  expect(asked).toHaveLength(1)
  await expect.poll(() => why.textContent()).toContain('Direct oracle feed, updated on schedule.')
  const path = why.getByRole('list', { name: 'Price path' })
  await expect.poll(() => path.getByRole('listitem').count()).toBe(1)
  await expect.poll(() => path.textContent()).toMatch(/^Oracle0x.{9}.*3,000/)
  const others = why.getByRole('list', { name: 'Other price sources' })
  await expect.poll(() => others.textContent()).toMatch(/chainlink\$3,000\.00 \(0 %\)/)
  await expect.poll(() => others.textContent()).toMatch(/uniswap_v3.*Depth \$/)
  expect(await opened.barriers()).toEqual([])
  await opened.clean()
})

test('a price that cannot be explained says why, in German too', async () => {
  const opened = await signedIn({ locale: 'de-DE' })
  const { page } = opened
  await page.route(/\/prices\/why/, (route) =>
    route.fulfill({ status: 400, json: { code: 'X_CODE', detail: 'not now' } }),
  )
  await open(page, '/a/1/portfolio')
  const ether = page.getByRole('row', { name: /^ETH/ }).filter({ hasText: '37.500' })
  await ether.getByRole('button', { name: /ETH/ }).click()
  const why = page.getByRole('region', { name: 'Aktueller Preis' })
  await why.getByRole('alert').waitFor()
  await expect.poll(() => why.textContent()).toContain('X_CODE')
  const none = {
    ...{ chain: 'ethereum', token: null, amount: '0', price: 'N/A', source: null, used: null, others: [], parts: [] },
    ...{ confidence: { level: 'none', reason: 'source-failed' }, sources: [{ name: 'aave', outcome: 'timeout' }] },
    ...{ block: null, blockTime: null, readAt: '2026-11-01T00:00:00Z', isPartial: true },
  }
  await page.route(/\/prices\/why/, (route) => route.fulfill({ json: none }))
  await why.getByRole('button').click()
  await why.getByText('Kein Preis').waitFor()
  await expect.poll(() => why.textContent()).toContain('Diese Quellen antworteten nicht: aave')
  await expect.poll(() => why.textContent()).toContain('N/A')
  const { violations, pageErrors, foreignRequests } = await opened.faults()
  expect([violations, pageErrors, foreignRequests]).toEqual([[], [], []])
})

/** 31 days, of which the first lacks a chain and the last is being computed. */
function seriesUntil(today: number): PortfolioSeries {
  const points = Array.from({ length: 31 }, (_, i) => ({
    time: new Date(today - (30 - i) * 86_400_000).toISOString().replace('.000Z', 'Z'),
    networth: i === 30 ? 'N/A' : String(30_000 + i * 100),
    chains: {},
    protocols: {},
    asOf: {},
    computing: i === 30,
    incomplete: i === 0 ? [{ chain: 'base', reason: 'no-state' as const, wallets: 1 }] : [],
  }))
  return { currency: 'USD', interval: 'DAY', computing: false, points }
}

test('the overview shows the net worth of past days, and its changes since whole days alone', async () => {
  const opened = await signedIn()
  const { page } = opened
  const day = 86_400_000
  const series = seriesUntil(Math.floor(Date.now() / day) * day)
  await page.route(/\/v1\/portfolio\/series\?/, (route) => route.fulfill({ json: series }))
  const { networth } = await open(page, '/a/1/overview')
  const card = page.locator('section', { has: page.getByRole('heading', { name: 'Net worth by day' }) })
  await card.getByText('Some days lack a chain').waitFor()
  await card.getByText('Days are still being computed.').waitFor()
  await card.getByRole('button', { name: 'As a table' }).click()
  await expect.poll(() => card.locator('tbody tr').count()).toBeGreaterThan(20)
  await expect.poll(() => card.locator('tbody').textContent()).toContain('$32,900.00')
  // A day ago: 32,900 USD. Seven days ago: 32,300. Thirty days ago a chain is missing.
  const since = (worth: string) => formatDecimal(decimal(networth).minus(decimal(worth)))
  const changes = page.locator('dl').first()
  await expect
    .poll(async () => (await figuresIn(changes)).filter((_, i) => i % 2 === 0))
    .toEqual([...[since('32900'), since('32300'), 'N/A']])
  expect(await opened.barriers()).toEqual([])
  await opened.clean()
})

test('a statement of the holdings is saved as a page, of the wallet and its sum', async () => {
  const opened = await signedIn()
  const { page } = opened
  const path = `/a/1/portfolio?addresses=${wallet}`
  const before = await open(page, path)
  const link = page.getByRole('link', { name: 'Printable statement' })
  const { name, text: statement } = await savedFile(page, () => link.click())
  expect(name).toMatch(/\.html$/)
  expect(statement).toContain('<h1>Statement of holdings</h1>')
  expect(statement).toContain(wallet)
  const [, networth] = /rounded, (\S+) exact/.exec(statement) ?? []
  // On a busy machine a minute passes: the statement is then from a newer read.
  const after = await open(page, path)
  expect([before.networth, after.networth]).toContain(networth)
  await opened.clean()
})

test('the overview adds nothing and loses nothing; what is looked at can be typed', async () => {
  const opened = await signedIn()
  const { page } = opened
  const portfolio = await open(page, '/a/1/overview')
  await expect.poll(() => figuresIn(page.locator('[data-figure=net-worth]'))).toEqual([portfolio.networth])
  const chains = await figuresIn(page.getByRole('figure', { name: 'Net worth by chain' }))
  for (const { value } of Object.values(portfolio.chains)) expect(chains).toContain(value)
  expect(await opened.barriers()).toEqual([])

  await page.getByRole('button', { name: /^Showing Cold/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Select addresses' })
  await dialog.getByLabel(/^Cold/).uncheck()
  await dialog.getByLabel('Other addresses').fill('vitalik')
  await expect.poll(() => dialog.getByRole('alert').textContent()).toBe('This address is not supported: vitalik')
  const other = devnet.wallets.farmer.address
  await dialog.getByLabel('Other addresses').fill(other)
  await dialog.getByRole('button', { name: 'Show', exact: true }).click()
  await page.waitForURL((url) => url.searchParams.get('addresses') === other.toLowerCase())
  await page.getByRole('link', { name: new RegExp(`Holdings of ${other}`, 'i') }).waitFor()
  // Kept as the last choice, on other screens too.
  await page.getByRole('link', { name: 'Holdings', exact: true }).click()
  await page.getByRole('button', { name: /^Showing 0x/ }).waitFor()
  await page.waitForURL((url) => url.pathname === '/a/1/portfolio' && url.searchParams.has('addresses'))
  const { violations, pageErrors, foreignRequests } = await opened.faults()
  expect([violations, pageErrors, foreignRequests]).toEqual([[], [], []])
})
