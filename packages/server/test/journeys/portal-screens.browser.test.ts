import { startDevnet } from '@coffer/devnet'
import type { Page } from 'playwright-core'
import { parseUnits } from 'viem'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { startSignedInPortal } from '../browser/signed-in-portal.ts'
import { startBrowser, type TestPage } from '../browser/start-browser.ts'
import { sized } from '../sized.ts'
import { started } from '../started.ts'
import { syncTransactions } from '../sync.ts'

// Every screen, in both themes, wide and narrow: with an empty account, with a full one, and when each call fails. `npm
// test` checks all accessibility rules on the wide screens of a full account, and names and width elsewhere.

/** By path: the title or selected tab that identifies the screen. */
const SCREENS: Readonly<Record<string, string>> = {
  '/a/1/overview': 'Overview',
  '/a/1/portfolio': 'Holdings',
  '/a/1/transactions': 'Transactions',
  '/a/1/pnl': 'Profit and loss',
  '/a/1/snapshots': 'Snapshots',
  '/a/1/approvals': 'Approvals',
  '/a/1/airdrops': 'Airdrops',
  '/a/1/validators': 'Validators',
  '/a/1/address-book': 'Address book',
  '/a/1/virtual-users': 'Virtual users',
  '/a/1/keys': 'API keys',
  '/a/1/webhooks': 'Webhooks',
  '/a/1/usage': 'Usage and credits',
  '/a/1/members': 'Members',
  '/a/1/audit': 'Audit log',
  '/me': 'Security and sessions',
  '/operator/accounts': 'Accounts',
  '/operator/chains': 'Chains and nodes',
  '/operator/jobs': 'Jobs',
  '/operator/syncs': 'Failing syncs',
  '/operator/prices': 'Price sources',
  '/operator/ledger': 'Ledger',
  '/operator/configuration': 'Configuration',
}
const WIDE = { width: 1280, height: 800 }
const NARROW = { width: 320, height: 640 }
/** For the sign-in screens. */
const THEMES = sized<readonly ('light' | 'dark')[]>({ small: ['dark'], deep: ['light', 'dark'] })
const WIDTHS = sized({ small: [NARROW], deep: [WIDE, NARROW] })

const browser = startBrowser()

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const portal = await started(startSignedInPortal(browser, { devnet, env: { COFFER_WEBHOOK_NETWORKS: '127.0.0.0/8' } }))

/** The application, which navigates to other screens after loading. */
async function signedIn(): Promise<TestPage> {
  const opened = await portal.open('/me')
  await isThere(opened.page)
  return opened
}

const isThere = (page: Page) => page.getByRole('heading', { level: 1 }).waitFor()

/** Goes to a screen within the application and waits until everything has loaded. */
async function show(page: Page, path: string, mark: string): Promise<void> {
  await page.evaluate(`history.pushState({}, '', '${path}')`)
  const role = path.startsWith('/operator/') ? 'tab' : 'heading'
  const place = role === 'tab' ? { selected: true } : { level: 1 }
  await page.getByRole(role, { name: mark, exact: true, ...place }).waitFor()
  await settled(page)
}

const settled = (page: Page) => expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)

/** Flaws of the current page: broken accessibility rules, and a page wider than its window. */
async function flaws(opened: TestPage, name: string, barriers = opened.axe): Promise<unknown[]> {
  const width = await opened.page.evaluate<number[]>('[document.documentElement.scrollWidth, innerWidth]')
  const [shown = 0, seen = 0] = width
  const broken = (await barriers()).map((one) => ({ name, ...one }))
  return shown > seen ? [...broken, { name, wide: shown }] : broken
}

/** Flaws of the page in both themes: they differ only in colours. */
async function flawsOfThemes(opened: TestPage, name: string): Promise<unknown[]> {
  const found = await flaws(opened, name)
  await turn(opened.page, 'light', 'dark')
  const dark = await opened.axe(['color-contrast'])
  await turn(opened.page, 'dark', 'light')
  return [...found, ...dark.map((one) => ({ name: `${name} dark`, ...one }))]
}

const turn = (page: Page, from: string, to: string) =>
  page.evaluate(`document.documentElement.classList.replace('${from}', '${to}')`)

/** Checks for the wide screens of a full account, and for all others. */
const examineMost = sized({ small: flaws, deep: flawsOfThemes })
const examine = sized({
  small: (opened: TestPage, name: string) => flaws(opened, name, opened.barriers),
  deep: flawsOfThemes,
})

/** The flaws of every screen, with each width's check. */
async function walk(opened: TestPage, looks: readonly (readonly [typeof WIDE, typeof examine])[]): Promise<unknown[]> {
  const found: unknown[] = []
  for (const [path, mark] of Object.entries(SCREENS)) {
    await show(opened.page, path, mark)
    for (const [viewport, look] of looks) {
      await opened.page.setViewportSize(viewport)
      found.push(...(await look(opened, `${path} ${viewport.width}`)))
    }
    await opened.page.setViewportSize(WIDE)
  }
  return found
}

test('an empty account', async () => {
  const opened = await signedIn()
  expect(await walk(opened, [[WIDE, examine]])).toEqual([])
  await opened.clean()
})

test.each(THEMES)('the ways in, %s', async (theme) => {
  const { baseUrl, user } = portal
  const opened = await browser.newPage({ baseUrl, theme })
  const { page } = opened
  for (const viewport of WIDTHS) {
    await page.setViewportSize(viewport)
    await page.goto('/sign-in')
    await page.getByLabel('Name').fill('Ann')
    expect(await flaws(opened, 'sign-in')).toEqual([])
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').waitFor()
    expect(await flaws(opened, 'sign-in that failed')).toEqual([])
    await page.goto(`/link#${user.usedLink}`)
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
    expect(await flaws(opened, 'dead link')).toEqual([])
  }
  await page.route('**/portal/api/links/look', (route) => route.fulfill({ status: 500 }))
  await page.goto('/sign-in')
  await page.goto(`/link#${user.usedLink}`)
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  expect(await flaws(opened, 'link that failed')).toEqual([])
  await opened.clean({ expected: [/40[14]/, /500/] })
})

test('every call fails', async () => {
  const opened = await signedIn()
  const { page } = opened
  await page.route('**/portal/api/**', (route) =>
    route.request().url().endsWith('/portal/api/session') ? route.continue() : route.fulfill({ status: 500 }),
  )
  await page.reload()
  await isThere(page)
  expect(await walk(opened, [[WIDE, examine]])).toEqual([])
  await expect.poll(() => page.getByRole('alert').count()).toBeGreaterThan(0)
  await opened.clean({ expected: [/status of 500/] })
})

describe('a full account', () => {
  beforeAll(async () => {
    const { service, user } = portal
    const wallet = devnet.wallets.demo.address.toLowerCase()
    const { actions, addresses } = devnet.chains.ethereum
    await actions.erc20.mint(addresses.tokens.usdc, wallet as `0x${string}`, parseUnits('5000', 6))
    await actions.vault.deposit(wallet as `0x${string}`, parseUnits('1000', 6))
    const farmer = devnet.wallets.farmer.address
    const entries = [
      { address: wallet, label: 'Cold' },
      { address: farmer },
      { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', label: 'Exchange' },
    ]
    await service.client.addToAddressBook({ body: { entries } })
    await user.post('/accounts/1/v1/bundles', { name: 'All', addresses: [wallet, farmer] })
    await user.post('/accounts/1/keys', { name: 'reports' })
    const hook = { url: 'http://127.0.0.1:9/hook', kinds: ['transaction.found', 'sync.ended'] }
    const { data: webhook } = (await user.post('/accounts/1/v1/webhooks', hook)) as { data: { id: string } }
    await user.post('/accounts/1/v1/webhooks', { ...hook, url: `https://hooks.example.com/${'x'.repeat(200)}` })
    await user.post(`/accounts/1/v1/webhooks/${webhook.id}/test`, {})
    const limits = { address: wallet, direction: 'above', threshold: '123456789012.345' }
    const token = { chain: 'ethereum', contract: addresses.tokens.usdc }
    await user.post('/accounts/1/v1/watches', { type: 'netWorth', ...limits })
    await user.post('/accounts/1/v1/watches', { type: 'balance', ...limits, ...token, address: farmer })
    await user.post('/accounts/1/v1/watches', { type: 'credits', threshold: '100' })
    // Simulates many unreadable positions.
    const gaps = ['ethereum', 'base', 'arbitrum'].map((chain) => ({ chain, protocol: 'aave-v3', reason: 'unreadable' }))
    const gap = { ...token, reason: 'unpriced' }
    await service.context.database.pool.query(
      `update watch set is_past = true, value = 0.00000001, settled_at = coffer_now(), checked_at = coffer_now(), incomplete = $1 where type = 'netWorth'`,
      [JSON.stringify([...gaps, gap])],
    )
    await user.post('/accounts/1/virtual-users', { type: 'BALANCE', label: 'Vault' })
    await user.post('/operator/accounts', { name: 'Second', plan: 'PRO', entitlements: ['portfolio'], credits: 250 })
    await service.client.subscribeSnapshot({ body: { addresses: [{ address: wallet }] } })
    await service.get('/v1/nav?addresses=nothing')
    await service.context.usage.flush()
    expect(await syncTransactions(service, wallet)).toBe('done')
  })

  test('what the head of the page asks ahead is what the screen reads', async () => {
    const opened = await portal.open('/a/1/keys')
    for (const name of ['keys', 'members', 'portfolio', 'webhooks']) {
      await opened.page.goto(`/a/1/${name}`)
      await expect.poll(() => opened.page.evaluate('Object.keys(early)'), { message: name }).toEqual([])
    }
    await opened.clean()
  })

  test('every screen', async () => {
    const opened = await signedIn()
    const looks = [[WIDE, examineMost] as const, [NARROW, examine] as const]
    expect(await walk(opened, looks)).toEqual([])
    await opened.clean()
  })
})
