import { startDevnet } from '@coffer/devnet'
import pg from 'pg'
import type { Page } from 'playwright-core'
import { parseEther, parseUnits } from 'viem'
import { afterEach, expect, inject, onTestFinished, test } from 'vitest'
import { ensurePortal } from '../browser/built-portal.ts'
import { firstUser } from '../browser/first-user.ts'
import { untilSearched } from '../browser/page-actions.ts'
import { startRelay } from '../browser/relay.ts'
import { CALM, startBrowser, type TestPage } from '../browser/start-browser.ts'
import { startService, testClock } from '../harness.ts'
import { seededRandom } from '../random.ts'
import { startRpcProxy } from '../rpc-proxy.ts'
import { deepTest } from '../sized.ts'
import { started } from '../started.ts'
import { syncTransactions } from '../sync.ts'

// Changes from elsewhere on an open page without a reload, and screens during an outage of a node.

const WINDOW_MS = 60_000
/** Longer than a read is fresh. */
const NOT_FRESH_MS = 61_000
/** Longer than any pause of an endpoint after a failure. */
const AFTER_REST_MS = 130_000
const DOWN = { fault: { raw: { status: 500, body: '' } } }
const EVENTS = /\/portal\/api\/accounts\/1\/events$/

const random = seededRandom('portal-live')
const browser = startBrowser()
const clock = testClock()

await ensurePortal()
const devnet = await started(startDevnet({ state: inject('devnetState') }))
/** In front of Ethereum's node. */
const node = await started(startRpcProxy(devnet.chains.ethereum.url))
const service = await started(startService({ ...CALM, devnet, endpoints: { ethereum: [node.url] }, clock }))
const relay = await started(startRelay(service.url))
const user = await firstUser(service)

afterEach(() => {
  node.reset()
  // Its endpoint is tried again.
  clock.advance(AFTER_REST_MS)
})

async function open(path: string): Promise<TestPage> {
  const opened = await browser.newPage({ baseUrl: relay.baseUrl })
  await opened.page.context().addCookies([{ ...user.cookie, url: relay.baseUrl }])
  await opened.page.goto(path)
  return opened
}

/** Marks the current page: a reload removes the mark. */
async function mark(page: Page): Promise<() => Promise<boolean>> {
  await page.evaluate('window.isMarked = true')
  return () => page.evaluate<boolean>('window.isMarked === true')
}

/** A wallet with 1,000 USDC that was read, and searched for unlisted tokens. */
async function readWallet(): Promise<string> {
  const wallet = random.address()
  await mint(wallet)
  await service.client.addToAddressBook({ body: { entries: [{ address: wallet, label: 'Cold' }] } })
  await untilSearched(service, wallet)
  return wallet
}

function mint(wallet: string): Promise<unknown> {
  const { actions, addresses } = devnet.chains.ethereum
  return actions.erc20.mint(addresses.tokens.usdc, wallet as `0x${string}`, parseUnits('1000', 6))
}

/** A read by a key, of the chain's current state. */
async function readAnew(wallet: string): Promise<void> {
  clock.advance(NOT_FRESH_MS)
  const { text } = await service.get(`/v1/portfolio?addresses=${wallet}&waitForSync=true`)
  expect(text).not.toContain('"stale"')
}

const netWorth = (page: Page) => page.locator('[data-figure=net-worth] data')
const worth = (page: Page, value: string) => page.locator(`[data-figure=net-worth] data[value="${value}"]`)

test('a sync that a key starts shows its progress and its end', async () => {
  const { actions, send } = devnet.chains.ethereum
  const [wallet, other] = [random.address(), random.address()]
  await actions.native.give(other, parseEther('5'))
  await send({ from: other, to: wallet, value: parseEther('3') })
  const opened = await open(`/a/1/transactions?addresses=${wallet}`)
  const { page } = opened
  await page.getByText('These wallets were never synced').waitFor()
  const isSamePage = await mark(page)

  const held = Promise.withResolvers<void>()
  node.add({ when: ({ method }) => method === 'eth_getLogs', fault: { before: () => held.promise } })
  await service.client.syncTransactions({ body: { addresses: [wallet] } })
  await page.getByText('syncing', { exact: true }).waitFor()
  const searched = (chain: string) =>
    page.getByRole('progressbar', { name: `Sync progress of ${chain}` }).getAttribute('aria-valuenow')
  await expect.poll(() => searched('base')).toBe('100')
  expect(await opened.barriers()).toEqual([])
  held.resolve()
  await page.getByText('1 transaction', { exact: true }).waitFor()
  await page.getByText('without gaps').waitFor()
  expect(await isSamePage()).toBe(true)
  await opened.clean()
})

// In `npm test`: an interrupted stream, below.
deepTest('a page whose stream is refused hears later of reads that end', async () => {
  const wallet = await readWallet()
  const opened = await open('/sign-in')
  const { page } = opened
  await page.route(EVENTS, (route) => route.fulfill({ status: 503 }), { times: 1 })
  let asked = 0
  page.on('request', (request) => {
    if (EVENTS.test(request.url())) asked += 1
  })
  await page.goto(`/a/1/portfolio?addresses=${wallet}`)
  await worth(page, '1000').waitFor()
  const isSamePage = await mark(page)
  await expect.poll(() => asked).toBe(2)
  await mint(wallet)
  await readAnew(wallet)
  await worth(page, '2000').waitFor()
  expect(await isSamePage()).toBe(true)
  await opened.clean({ expected: [/503/] })
})

test('a page whose first stream was cut shows what was read until the next one', async () => {
  const wallet = await readWallet()
  const opened = await open('/sign-in')
  const { page } = opened
  const [cut, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let asked = 0
  await page.route(EVENTS, async (route) => {
    asked += 1
    if (asked > 1) {
      await held.promise
      return route.fallback()
    }
    cut.resolve()
    return route.abort()
  })
  await page.goto(`/a/1/portfolio?addresses=${wallet}`)
  await worth(page, '1000').waitFor()
  await cut.promise
  await mint(wallet)
  await readAnew(wallet)
  held.resolve()
  await worth(page, '2000').waitFor()
  await opened.clean({ expected: [/net::ERR/] })
})

test('a page hears on when its connection was cut and another process has taken over', async () => {
  const wallet = await readWallet()
  const opened = await open(`/a/1/portfolio?addresses=${wallet}`)
  const { page } = opened
  await worth(page, '1000').waitFor()
  const isSamePage = await mark(page)
  onTestFinished(() => relay.lead(service.url))
  relay.lead(undefined)
  await mint(wallet)
  await readAnew(wallet)
  relay.lead((await service.startApi()).url)
  await worth(page, '2000').waitFor()
  await mint(wallet)
  await readAnew(wallet)
  await worth(page, '3000').waitFor()
  expect(await isSamePage()).toBe(true)
  await opened.clean({ expected: [/net::ERR/] })
})

// In `npm test`: events.sql, for the service's limit of four.
deepTest('of five windows the newest four hear; the first one does again when it is looked at', async () => {
  const wallet = await readWallet()
  const opened = await open('/sign-in')
  const context = opened.page.context()
  const asked: Page[] = []
  context.on('request', (request) => {
    if (EVENTS.test(request.url())) asked.push(request.frame().page())
  })
  const windows: Page[] = []
  for (let count = 0; count < 5; count += 1) {
    const page = count === 0 ? opened.page : await context.newPage()
    await Promise.all([page.waitForResponse(EVENTS), page.goto(`/a/1/portfolio?addresses=${wallet}`)])
    await worth(page, '1000').waitFor()
    windows.push(page)
  }
  const [first, ...others] = windows
  if (!first) throw new Error('no window')
  await mint(wallet)
  await readAnew(wallet)
  for (const page of others) await worth(page, '2000').waitFor()
  await expect.poll(() => netWorth(first).getAttribute('value')).toBe('1000')
  // It may become visible before it knows that its stream was ended.
  const look = async () => {
    await first.evaluate('dispatchEvent(new Event("focus"))')
    return asked.length
  }
  await expect.poll(look).toBe(windows.length + 1)
  await worth(first, '2000').waitFor()
  expect(asked).toEqual([...windows, first])
  await opened.clean()
})

test('while a node is down, screens name what is old and what is missing', async () => {
  const wallet = await readWallet()
  const never = random.address()
  await mint(never)
  node.add(DOWN)
  clock.advance(NOT_FRESH_MS)
  const opened = await open(`/a/1/portfolio?addresses=${wallet}`)
  const { page } = opened
  const gaps = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Data issues' }) })
  const old = gaps.getByRole('listitem').filter({ hasText: 'Out of date' })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await old.getByText('Ethereum', { exact: true }).waitFor()
  await page.getByText('stale', { exact: true }).first().waitFor()
  await expect.poll(() => netWorth(page).getAttribute('value')).toBe('1000')
  expect(await opened.barriers()).toEqual([])
  await page.goto(`/a/1/overview?addresses=${wallet}`)
  await old.getByText('Ethereum', { exact: true }).waitFor()
  await expect.poll(() => netWorth(page).getAttribute('value')).toBe('1000')
  expect(await opened.barriers()).toEqual([])
  await page.goto(`/a/1/pnl?addresses=${wallet}`)
  await page.getByText('stale', { exact: true }).first().waitFor()

  await page.goto(`/a/1/overview?addresses=${never}`)
  const missing = gaps.getByRole('listitem').filter({ hasText: 'Could not be read' })
  // A chain that was never read has no name in the answer.
  await missing.getByText(/^ethereum$/i).waitFor()
  await page.getByText(/^Incomplete: some chains or protocols are missing or out of date/).waitFor()
  await expect.poll(() => netWorth(page).getAttribute('value')).toBe('0')
  expect(await opened.barriers()).toEqual([])
  await page.goto('/operator/chains')
  const endpoint = page.getByRole('row', { name: /ethereum#1/ })
  await endpoint.getByText('failing', { exact: true }).waitFor()

  node.reset()
  clock.advance(AFTER_REST_MS)
  await page.goto(`/a/1/portfolio?addresses=${wallet}`)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await old.waitFor({ state: 'detached' })
  await opened.clean()
})

// In `npm test`: operator.sql, for the answer, and portal-screens, for the screen.
deepTest('an operator sees a search that failed and why, until it has succeeded', async () => {
  const wallet = random.address()
  await mint(wallet)
  node.add({ when: ({ method }) => method === 'eth_getLogs', ...DOWN })
  const end = await syncTransactions(service, wallet)
  expect(end).toMatch(/^failed: /)
  const opened = await open('/operator/syncs')
  const { page } = opened
  const row = page.getByRole('row').filter({ hasText: wallet.slice(-4) })
  await row.getByText('failed', { exact: true }).waitFor()
  await row.getByText(end.replace('failed: ', '')).first().waitFor()
  expect(await opened.barriers()).toEqual([])
  await page.goto(`/a/1/transactions?addresses=${wallet}`)
  await page.getByText(/^Stopped early: /).waitFor()
  expect(await opened.barriers()).toEqual([])

  node.reset()
  clock.advance(AFTER_REST_MS)
  expect(await syncTransactions(service, wallet)).toBe('done')
  await page.goto('/operator/syncs')
  await page.getByText(/^(No failing syncs|Set aside)$/).waitFor()
  await expect.poll(() => row.count()).toBe(0)
  await opened.clean()
})

test('a page whose build was replaced reloads once; an outage does not count', async () => {
  const opened = await open('/me')
  const { page } = opened
  let loads = 0
  page.on('load', () => {
    loads += 1
  })
  const isShown = () => page.getByRole('heading', { level: 1, name: 'Security and sessions' }).waitFor()
  const look = () => page.waitForResponse((response) => response.url() === `${relay.baseUrl}/`)
  await page.route('**/assets/command-palette-*', (route) => route.fulfill({ status: 404 }))
  await isShown()
  const [same] = await Promise.all([look(), page.keyboard.press('Control+k')])
  await same.finished()
  await page.getByText('UNEXPECTED', { exact: true }).waitFor()
  expect(loads).toBe(0)

  await page.route(`${relay.baseUrl}/`, (route) => route.fulfill({ body: '<script src="/assets/other.js"></script>' }))
  await page.reload()
  await isShown()
  await page.keyboard.press('Control+k')
  await expect.poll(() => loads).toBe(2)
  await isShown()
  await page.keyboard.press('Control+k')
  await page.getByText('UNEXPECTED', { exact: true }).waitFor()
  expect(loads).toBe(2)
  await opened.clean({ expected: [/404/, /could not be loaded/] })
})

test('an outage keeps the page, and a screen that was asked for meanwhile comes once the service answers', async () => {
  const wallet = await readWallet()
  const opened = await open(`/a/1/portfolio?addresses=${wallet}`)
  const { page } = opened
  await worth(page, '1000').waitFor()
  const isSamePage = await mark(page)
  onTestFinished(() => relay.lead(service.url))
  const banner = page.getByText('Reconnecting…')
  relay.lead(undefined)
  // The event stream ends, so the outage shows before any click.
  await banner.waitFor()
  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByRole('heading', { level: 1, name: 'Loading' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  expect(await opened.barriers()).toEqual([])
  relay.lead(service.url)
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
  await banner.waitFor({ state: 'detached' })
  expect(page.url()).toBe(`${relay.baseUrl}/a/1/members`)
  await page.getByRole('dialog').waitFor()
  await page.goBack()
  await worth(page, '1000').waitFor()
  expect(await isSamePage()).toBe(true)

  // A script requested before the outage was known.
  const isCut = (url: URL) => url.pathname === '/' || url.pathname.startsWith('/assets/audit-screen')
  await page.route(isCut, (route) => route.abort())
  await page.getByRole('link', { name: 'Audit log' }).click()
  await banner.waitFor()
  await page.unroute(isCut)
  await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
  await opened.clean({ expected: [/net::ERR/, /could not be loaded/] })
})

/** Fills the user's next rate limit window, which lasts for the page's maximum wait: a busy machine sends late. */
async function exhaustSession(db: pg.Client): Promise<void> {
  const headers = { cookie: `${user.cookie.name}=${user.cookie.value}` }
  clock.advance(WINDOW_MS)
  await db.query(
    `insert into rate_limit_window select 'user:' || id, 1000000, $1 from portal_user
    on conflict (subject) do update set points = excluded.points, ends_at = excluded.ends_at`,
    [clock.now() + 110_000],
  )
  // The page may have leased requests of the new window before: they are admitted first.
  await expect.poll(async () => (await fetch(`${service.url}/portal/api/session`, { headers })).status).toBe(429)
}

async function endWindow(db: pg.Client): Promise<void> {
  await db.query('truncate rate_limit_window')
  clock.advance(2 * WINDOW_MS)
}

test('a rate limit counts down inside the page, which continues automatically', async () => {
  const opened = await browser.newPage({ baseUrl: relay.baseUrl })
  const { page } = opened
  await page.context().addCookies([{ ...user.cookie, url: relay.baseUrl }])
  await page.clock.install()
  await page.goto('/me')
  await page.getByRole('heading', { level: 1, name: 'Security and sessions' }).waitFor()
  const isSamePage = await mark(page)
  const db = new pg.Client({ connectionString: service.databaseUrl })
  await db.connect()
  onTestFinished(() => db.end())

  await exhaustSession(db)
  await page.getByRole('link', { name: 'API keys', exact: true }).click()
  const countdown = page.getByText(/^Continuing in \d+ s…$/)
  await countdown.waitFor()
  await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
  await expect.poll(() => page.getByText('RATE_LIMITED').count()).toBe(0)
  expect(await opened.barriers()).toEqual([])
  await endWindow(db)
  await page.clock.fastForward(121_000)
  await page.getByRole('row').nth(1).waitFor()
  await countdown.waitFor({ state: 'detached' })
  expect(await isSamePage()).toBe(true)

  // The first load has no frame yet, and also waits.
  await exhaustSession(db)
  await page.reload()
  await countdown.waitFor()
  await endWindow(db)
  await page.clock.fastForward(121_000)
  await page.getByRole('row').nth(1).waitFor()
  await opened.clean({ expected: [/429/] })
})
