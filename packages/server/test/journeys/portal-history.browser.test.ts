import { startDevnet } from '@coffer/devnet'
import type { Page } from 'playwright-core'
import { parseEther, parseUnits } from 'viem'
import { expect, inject, test } from 'vitest'
import { figuresIn, savedFile } from '../browser/page-actions.ts'
import { startSignedInPortal } from '../browser/signed-in-portal.ts'
import { startBrowser } from '../browser/start-browser.ts'
import { seededRandom } from '../random.ts'
import { sized } from '../sized.ts'
import { started } from '../started.ts'
import { syncTransactions } from '../sync.ts'

// A wallet's transactions, cost, gains and daily holdings, from the search to the figures.

const MOVEMENTS = 'CSV, one line per movement'
const TRANSACTIONS = 'JSON Lines, one line per transaction'
const random = seededRandom('portal-history')
const browser = startBrowser()
const wallet = random.address()
const other = random.address()

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const portal = await started(startSignedInPortal(browser, { devnet }))
const service = portal.service
const { actions, addresses, send } = devnet.chains.ethereum
await actions.erc20.mint(addresses.tokens.usdc, wallet, parseUnits('5000', 6))
await actions.native.give(other, parseEther('3'))
await send({ from: other, to: wallet, value: parseEther('3') })
await send({ from: wallet, to: other, value: parseEther('1') })
await actions.vault.deposit(wallet, parseUnits('1000', 6))
await service.client.addToAddressBook({ body: { entries: [{ address: wallet, label: 'Cold' }] } })

test('a wallet is searched for a price that is said before, and its transactions are listed, filtered and saved', async () => {
  const opened = await portal.open(`/a/1/transactions?addresses=${wallet},${random.address()}`)
  const { page } = opened
  await page.getByText('These wallets were never synced').waitFor()
  expect(await opened.barriers()).toEqual([])
  await page.getByRole('button', { name: 'Sync transactions' }).click()
  const dialog = page.getByRole('dialog')
  // A box for each chosen wallet. Boxes of wallets that were never searched are checked.
  const unsought = dialog.getByRole('checkbox').nth(1)
  await dialog.getByText('It costs 2 credits now').waitFor()
  await unsought.uncheck()
  await dialog.getByText('It costs 1 credit now').waitFor()
  await page.keyboard.press('Escape')
  await page.goto(`/a/1/transactions?addresses=${wallet}`)
  await page.getByRole('button', { name: 'Sync transactions' }).click()
  await dialog.getByText('It costs 1 credit now').waitFor()
  await dialog.getByText(/^Credits left: 999,99\d$/).waitFor()
  expect(await opened.barriers()).toEqual([])
  await dialog.getByRole('button', { name: 'Start sync' }).click()
  const lines = page.getByRole('list', { name: 'Transactions' }).getByRole('listitem')
  await page.getByText('5 transactions', { exact: true }).waitFor()
  await expect.poll(() => lines.count()).toBe(5)
  await lines.getByText(/^Deposited 1,000 USDC for .* on Nova Vaults$/).waitFor()
  await lines.getByText(/^Sent 1 ETH to 0x/).waitFor()
  await page.getByText('without gaps').waitFor()

  // From here on by keyboard only.
  await page.getByText('More filters').press('Enter')
  await page.getByLabel('Transfer in', { exact: true }).press('Space')
  await page.getByRole('button', { name: 'Apply' }).press('Enter')
  await page.getByText('2 transactions', { exact: true }).waitFor()
  expect(new URL(page.url()).searchParams.get('txTypes')).toBe('TRANSFERIN')

  const line = lines.getByRole('button', { name: /Received 3 ETH/ })
  await line.focus()
  await page.keyboard.press('Enter')
  const moved = lines.getByRole('table')
  await moved.waitFor()
  await expect.poll(() => figuresIn(moved.getByRole('row').nth(1))).toEqual(['3', '3000', '9000', '9000', '0'])
  expect(await opened.barriers()).toEqual([])

  await page.getByRole('button', { name: 'Export all matching transactions' }).press('Enter')
  await page.getByRole('menuitem').first().waitFor()
  const offered = await page.getByRole('menuitem').allTextContents()
  expect(new Set(offered).size).toBe(14)
  await page.keyboard.press('Escape')
  // In `npm test`, unit tests check the other formats.
  const items = sized({ small: [MOVEMENTS, TRANSACTIONS], deep: offered })
  const credits = await service.client.getCredits()
  // Chromium drops the eleventh file that one page saves within a second, so two pages take turns.
  const isOne = items.length <= 10
  const second = isOne ? opened : await portal.open(`/a/1/transactions?addresses=${wallet}&txTypes=TRANSFERIN`)
  const files = new Map<string, { name: string; rows: string[] }>()
  for (const [at, item] of items.entries()) {
    const file = await save(at % 2 ? second.page : page, item)
    // A header or the file's last line, and both transfers, one of them of 5,000.
    expect({ item, isWhole: file.rows.length >= 3, isOfBoth: file.rows.join('').includes('5000') }).toEqual({
      ...{ item, isWhole: true, isOfBoth: true },
    })
    files.set(item, file)
  }
  expect(new Set([...files.values()].map(({ name }) => name)).size).toBe(items.length)
  // Files are free in the portal, like views.
  expect(await service.client.getCredits()).toBe(credits)
  const csv = files.get(MOVEMENTS)?.rows ?? []
  const amount = csv[0]?.split(',').indexOf('amount') ?? -1
  expect(csv.slice(1).map((row) => row.split(',')[amount])).toEqual(['5000', '3'])
  const objects = files.get(TRANSACTIONS)?.rows ?? []
  expect(objects.map((line) => JSON.parse(line))).toMatchObject([{}, {}, { complete: true, rows: 2 }])
  await second.clean()
  await opened.clean()
})

/** The file saved by an item of the export menu. */
const save = (page: Page, item: string) =>
  savedFile(page, async () => {
    await page.getByRole('button', { name: 'Export all matching transactions' }).press('Enter')
    await page.getByRole('menuitem', { name: item, exact: true }).press('Enter')
  })

test('cost and PnL are those of the API, once the wallet was searched', async () => {
  expect(await syncTransactions(service, wallet)).toBe('done')
  const opened = await portal.open(`/a/1/pnl?addresses=${wallet}`, { theme: 'dark' })
  const { page } = opened
  const row = page.getByRole('region', { name: 'Profit and loss by wallet' }).getByRole('row').nth(1)
  await row.waitFor()
  // 5,000 of USDC and 2 ETH at 3,000. A share in the vault is worth 0.000001 less than its cost.
  await expect.poll(() => figuresIn(row)).toEqual(['10999.999999', '11000', '-0.000001', '0', '0', '0', '0'])
  expect(await opened.barriers()).toEqual([])
  await opened.clean()
})

test('a subscription says its price, and the first snapshot is shown when it is taken', async () => {
  const opened = await portal.open(`/a/1/snapshots?addresses=${wallet}`, { viewport: { width: 320, height: 800 } })
  const { page } = opened
  await page.getByRole('button', { name: 'Subscribe…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('1,200 credits per wallet and year.').waitFor()
  await expect.poll(() => dialog.getByRole('checkbox').isChecked()).toBe(true)
  await dialog.getByText('It costs 1,200 credits now').waitFor()
  await dialog.getByRole('button', { name: 'Subscribe for a year' }).click()
  await dialog.getByText('1,200 credits', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: /: taken$/ }).waitFor()
  const holdings = page.getByRole('region', { name: 'Holdings of the day' })
  await holdings.getByRole('row', { name: /^ETH / }).waitFor()
  await expect.poll(() => holdings.locator('data[value="6000"]').count()).toBe(1)
  await page.getByRole('tab', { name: 'Coins' }).click()
  const coins = page.getByRole('region', { name: 'Coins of the day' })
  await coins.getByRole('row', { name: /^USDC / }).waitFor()
  expect(await opened.barriers()).toEqual([])
  await opened.clean()
})
