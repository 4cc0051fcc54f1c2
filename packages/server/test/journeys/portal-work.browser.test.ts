import { parseUnits } from 'viem'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ensurePortal } from '../browser/built-portal.ts'
import { PASSWORD } from '../browser/first-user.ts'
import { act, createKey, figuresIn, invite, savedFile, signIn } from '../browser/page-actions.ts'
import { portalPages } from '../browser/signed-in-portal.ts'
import { CALM, startBrowser, type TestPage } from '../browser/start-browser.ts'
import { HANGS_MS } from '../hangs.ts'
import { seededRandom } from '../random.ts'
import { started } from '../started.ts'
import { syncTransactions } from '../sync.ts'
import { BINANCE_USD, binanceKey, startVirtualUsers, tradingKey } from '../virtual-users.ts'

// Daily work with an account: a key is rotated under a running client, an exchange is linked, and an accountant takes
// over.

/** Calls that the client makes with the old key after its end would be known. */
const CALLS_AFTER = 20
/** Without the new figure, the page is read again after this time. */
const READ_AGAIN_MS = 5_000
const NOT_FRESH_MS = 61_000

const random = seededRandom('portal-work')
const wallet = random.address()
const browser = startBrowser()

await ensurePortal()
const rig = await started(startVirtualUsers(CALM))
const { newPage, enterBy } = portalPages(browser, rig.service)

/** A page of the account's owner, created by the link of the first start or signed in. */
async function openAsOwner(path: string): Promise<TestPage> {
  const token = await rig.service.context.makeSetupLink()
  const opened = token ? await enterBy(token, 'Olga') : await newPage()
  if (!token) {
    await signIn(opened.page, 'Olga', PASSWORD)
    await opened.page.waitForURL(/\/a\/1\//)
  }
  await opened.page.goto(path)
  return opened
}

/** The key that a dialog shows once. */
async function takeKey({ page }: TestPage): Promise<string> {
  const dialog = page.getByRole('dialog', { name: /^New key/ })
  const key = await dialog.locator('code').first().textContent()
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  return key ?? ''
}

const callWith = async (key: string): Promise<number> =>
  (await rig.service.get('/v1/credits', { authorization: `Bearer ${key}` })).status

/**
 * Waits until the service has read every used key again. It caches a key for some seconds from its first use. Once a
 * key used later is refused, the cached ones were read again.
 */
async function keysAreReadAnew(): Promise<void> {
  const { id, key } = await rig.admin('key', 'create', '--account', '1', '--name', 'Other')
  expect(await callWith(key)).toBe(200)
  await rig.admin('key', 'revoke', id)
  await vi.waitFor(async () => expect(await callWith(key)).toBe(401), { timeout: HANGS_MS })
}

/** A client that calls `/v1/credits` with a key until it is refused or stopped. Calls are sequential. */
function startClient(key: string) {
  const statuses: number[] = []
  const wasRefused = () => statuses.some((status) => status !== 200)
  let isStopped = false
  const done = (async () => {
    while (!isStopped && !wasRefused()) statuses.push(await callWith(key))
  })()
  async function stop() {
    isStopped = true
    await done
  }
  onTestFinished(stop)
  return {
    statuses,
    stop,
    /** Waits until this many calls are answered, or one is refused. */
    hasMade: (count: number) =>
      vi.waitFor(() => expect(statuses.length >= count || wasRefused()).toBe(true), { timeout: HANGS_MS }),
  }
}

test('a key is rotated with an hour of grace while a client calls with it: no call is refused', async () => {
  const opened = await openAsOwner('/a/1/keys')
  const { page } = opened
  await createKey(page, 'Exporter')
  const before = await takeKey(opened)

  const client = startClient(before)
  await client.hasMade(1)
  await act(page, 'Exporter', 'Rotate')
  await page.getByLabel('The old key ends').selectOption('after 1 hour')
  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  const after = await takeKey(opened)
  await keysAreReadAnew()
  const { length } = client.statuses
  await client.hasMade(length + CALLS_AFTER)
  await client.stop()
  expect(new Set(client.statuses)).toEqual(new Set([200]))

  expect(after).not.toBe(before)
  expect(await callWith(after)).toBe(200)
  const rows = page.getByRole('row', { name: /^Exporter/ })
  await rows.filter({ hasText: 'ends' }).waitFor()
  await rows.filter({ hasText: 'active' }).waitFor()
  expect(await opened.axe()).toEqual([])
  await opened.clean()
})

test('an account at an exchange is linked by a key that may only read, and what is there is shown', async () => {
  const opened = await openAsOwner('/a/1/virtual-users')
  const { page } = opened
  await page.getByRole('button', { name: 'Create a virtual user' }).first().click()
  await page.getByLabel('Label').fill('Trading')
  await page.getByLabel('Kind').selectOption('CEX')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('button', { name: 'Link an exchange' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Exchange', { exact: true }).selectOption('binance')
  const check = async ({ apiKey, secret }: typeof binanceKey) => {
    await dialog.getByLabel('Exchange API key').fill(apiKey)
    await dialog.getByLabel('Secret').fill(secret)
    await dialog.getByRole('button', { name: 'Check and link' }).click()
  }
  await check(tradingKey)
  await dialog.getByRole('alert').getByText('may trade and withdraw').waitFor()
  expect(await opened.axe()).toEqual([])
  await check(binanceKey)
  const reported = page.getByRole('status').filter({ hasText: 'Permissions of the key according to' })
  await reported.getByText('not allowed').nth(1).waitFor()

  rig.clock.advance(NOT_FRESH_MS)
  const holdings = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Holdings' }) })
  // After a minute, the first read returns the old answer and starts a new one.
  const readAgain = async () => {
    await holdings.getByRole('button', { name: 'Read again' }).click()
    const first = () => holdings.locator('data').first().getAttribute('value')
    await expect.poll(first, { timeout: READ_AGAIN_MS }).toBe(BINANCE_USD)
  }
  await vi.waitFor(readAgain, { timeout: HANGS_MS, interval: 100 })
  // 50 LDO at 2 USDT. One USDT is 1.0001.
  const ldo = holdings.getByRole('row', { name: /^ldo /i })
  await expect.poll(() => figuresIn(ldo)).toEqual(['50', '2.0002', '100.01'])
  expect(await opened.axe()).toEqual([])
  await opened.clean({ expected: [/400/] })
})

/** Changes reserved for the owner, as a page would request them. */
const CHANGES = [
  ['POST', '/keys', { name: 'mine' }],
  ['POST', '/invitations', { role: 'owner' }],
  ['POST', '/virtual-users', { type: 'BALANCE', label: 'mine' }],
  ['POST', '/v1/addressbook', { entries: [{ address: wallet, label: 'mine' }] }],
  ['DELETE', `/v1/addressbook/${wallet}`, undefined],
  ['POST', '/v1/sync-transactions', { addresses: [wallet] }],
] as const

/** The status of the portal's answer to the open page. */
const statusOf = ({ page }: TestPage, [method, path, body]: (typeof CHANGES)[number]): Promise<number> => {
  const sent = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const init = JSON.stringify({ method, ...sent })
  return page.evaluate(`fetch('/portal/api/accounts/1${path}', ${init}).then(({ status }) => status)`)
}

test('a viewer joins again as an accountant, exports and labels, and can change nothing else', async () => {
  const { actions, addresses } = rig.devnet.chains.ethereum
  await actions.erc20.mint(addresses.tokens.usdc, wallet, parseUnits('5000', 6))
  await rig.service.client.addToAddressBook({ body: { entries: [{ address: wallet, label: 'Cold' }] } })
  expect(await syncTransactions(rig.service, wallet)).toBe('done')
  const owner = await openAsOwner('/a/1/members')
  const inviteAs = async (role: string) => {
    const token = await invite(owner.page, role)
    await owner.page.getByRole('button', { name: 'I have copied it' }).click()
    return token
  }
  const accountant = await enterBy(await inviteAs('viewer'), 'Ann', { theme: 'dark' })
  const { page } = accountant
  await page.goto('/a/1/address-book')
  await page.getByRole('row', { name: /Cold/ }).waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Change the label of Cold' }).count()).toBe(0)

  await page.goto(`/link#${await inviteAs('accountant')}`)
  await page.getByText('You are invited as accountant.').waitFor()
  expect(await accountant.axe()).toEqual([])
  await page.getByRole('button', { name: 'Join as Ann' }).click()
  await page.waitForURL(/\/a\/1\//)

  await page.goto('/a/1/address-book')
  await page.getByRole('button', { name: 'Change the label of Cold' }).click()
  await page.getByLabel('Label', { exact: true }).fill('Treasury')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Change the label of Treasury' }).waitFor()
  const buttons = (name: RegExp) => page.getByRole('button', { name }).count()
  await expect.poll(() => buttons(/Add addresses|Create a bundle|Actions for/)).toBe(0)

  await page.goto(`/a/1/transactions?addresses=${wallet}`)
  const {
    rows: [header = '', ...rows],
  } = await savedFile(page, async () => {
    await page.getByRole('button', { name: 'Export all matching transactions' }).click()
    await page.getByRole('menuitem', { name: 'CSV, one line per movement' }).click()
  })
  const amount = header.split(',').indexOf('amount')
  expect(rows.map((row) => row.split(',')[amount])).toEqual(['5000'])
  await expect.poll(() => buttons(/Sync/)).toBe(0)

  for (const [screen, offered] of [
    ['keys', /Create a key|Actions for/],
    ['virtual-users', /Create a virtual user|Actions for/],
    ['members', /Invite a member|Actions for/],
  ] as const) {
    await page.goto(`/a/1/${screen}`)
    await page.getByRole('row').nth(1).waitFor()
    expect([screen, await buttons(offered)]).toEqual([screen, 0])
  }
  for (const change of CHANGES) expect([change, await statusOf(accountant, change)]).toEqual([change, 403])
  expect(await rig.service.client.listAddressBook()).toMatchObject({ data: [{ address: wallet, label: 'Treasury' }] })
  await accountant.clean({ expected: [/403/] })
  await owner.clean()
})
