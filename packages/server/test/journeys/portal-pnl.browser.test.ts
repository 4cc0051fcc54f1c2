import { type Devnet, deployPoison, poisonAbi, startDevnet } from '@coffer/devnet'
import type { Page } from 'playwright-core'
import { type Address, parseEther, parseUnits } from 'viem'
import { expect, inject, test } from 'vitest'
import { figuresIn, savedFile } from '../browser/page-actions.ts'
import { startSignedInPortal } from '../browser/signed-in-portal.ts'
import { startBrowser } from '../browser/start-browser.ts'
import { operator } from '../operator.ts'
import { seededRandom } from '../random.ts'
import { started } from '../started.ts'
import { syncTransactions } from '../sync.ts'

// A wallet that bought ether twice and sold some: gains by every method, and the lots they took.

const random = seededRandom('portal-pnl')
const NARROW = { theme: 'dark', viewport: { width: 320, height: 800 } } as const

const browser = startBrowser()
const wallet = random.address()
const unsearched = random.address()
const outsider = random.address()

const devnet = await started(startDevnet({ state: inject('devnetState') }))
await trade()
const chains = { ethereum: devnet.chains.ethereum } as Devnet['chains']
const portal = await started(startSignedInPortal(browser, { devnet: { chains } }))
expect(await syncTransactions(portal.service, wallet)).toBe('done')

/** 100 USDC for 0.04 WETH worth 80; 90 for 0.03 worth 90; then 0.05 WETH for 200 USDC. */
async function trade(): Promise<void> {
  const { ethereum } = devnet.chains
  const { usdc, weth } = ethereum.addresses.tokens
  const { erc20, feeds } = ethereum.actions
  const { address } = await deployPoison({ chain: ethereum, outsider })
  const swap = async (price: string, give: Address, given: bigint, take: Address, taken: bigint) => {
    await devnet.refreshFeeds()
    await feeds.set(ethereum.addresses.feeds.ethUsd, parseUnits(price, 8))
    await erc20.mint(take, address, taken)
    await erc20.allow(give, wallet, address)
    const args = [give, given, take, taken, parseEther('1')] as const
    await ethereum.write({ from: wallet, address, abi: poisonAbi, functionName: 'trade', args })
  }
  await erc20.mint(usdc, wallet, parseUnits('190', 6))
  await swap('2000', usdc, parseUnits('100', 6), weth, parseEther('0.04'))
  await swap('3000', usdc, parseUnits('90', 6), weth, parseEther('0.03'))
  await swap('4000', weth, parseEther('0.05'), usdc, parseUnits('200', 6))
}

const MENU = 'Save as a file: all sold lots'

/** The file saved by a menu item: its name, and the gains of its WETH lots. */
async function saveGains(page: Page, item: string): Promise<{ name: string; wethGains: (string | undefined)[] }> {
  const {
    name,
    rows: [header = '', ...rows],
  } = await savedFile(page, async () => {
    await page.getByRole('button', { name: MENU }).click()
    await page.getByRole('menuitem', { name: item }).click()
  })
  const gain = header.split(',').findIndex((title) => /gain|gewinn/i.test(title))
  const lots = rows.filter((row) => /weth/i.test(row)).map((row) => row.split(',')[gain])
  return { name, wethGains: lots }
}

test('methods stand side by side, and the lots of a period are those that each takes', async () => {
  const opened = await portal.open(`/a/1/pnl?addresses=${wallet}`)
  const { page } = opened
  const periods = page.getByRole('region', { name: 'Realised PnL by period and method' })
  await periods.getByRole('row').nth(1).waitFor()
  // 0.05 of 0.07 WETH that cost 170 by the average; the oldest 110; the youngest, which are also the most expensive,
  // 130.
  const realised = ['58.571428571428571429', '70', '50', '50']
  await expect.poll(() => figuresIn(periods.getByRole('row').nth(1))).toEqual([...realised, '0', '0'])
  await page.getByText('Average cost does not distinguish units of an asset', { exact: false }).waitFor()

  await page.getByLabel('Method', { exact: true }).selectOption('FIFO')
  const sold = page.getByRole('region', { name: 'Sold lots' })
  await page.getByText('4 of 4').waitFor()
  const rows = sold.getByRole('row')
  const wethRows = async () => Promise.all([3, 4].map(async (place) => (await figuresIn(rows.nth(place))).slice(0, 4)))
  await expect.poll(wethRows).toEqual([
    ['0.04', '160', '80', '80'],
    ['0.01', '40', '30', '10'],
  ])
  expect(await opened.axe()).toEqual([])
  const files = ['CSV, one line per lot', 'Form 8949', 'Germany, with its one-year holding period']
  for (const file of files) {
    const { name, wethGains } = await saveGains(page, file)
    expect({ file, name, wethGains }).toEqual({
      ...{ file, name: expect.stringMatching(/^gains-(coffer|form-8949|germany)-/), wethGains: ['80', '10'] },
    })
  }

  await page.getByLabel('Method', { exact: true }).selectOption('LIFO')
  await expect.poll(wethRows).toEqual([
    ['0.03', '120', '90', '30'],
    ['0.02', '80', '40', '40'],
  ])
  expect(new URL(page.url()).searchParams.get('method')).toBe('LIFO')
  expect((await saveGains(page, 'CSV, one line per lot')).wethGains).toEqual(['30', '40'])
  await page.getByRole('button', { name: MENU }).click()
  // Germany's rules allow only FIFO.
  await expect.poll(() => page.getByRole('menuitem').allTextContents()).toEqual(files.slice(0, 2))
  await page.keyboard.press('Escape')
  await rows.nth(3).getByRole('button', { name: 'Why Gain of WETH?' }).click()
  await page.getByText('Sold by').waitFor()
  await page.keyboard.press('Escape')

  await page.getByRole('tab', { name: 'Held at the end' }).click()
  const held = page.getByRole('region', { name: 'Held lots' })
  await held.getByRole('row', { name: /^WETH/ }).waitFor()
  await expect.poll(() => figuresIn(held.getByRole('row', { name: /^WETH/ }))).toEqual(['0.02', '2000', '40'])
  await page.getByRole('tab', { name: 'Earned' }).click()
  await page.getByText('No income').waitFor()
  await opened.clean()
})

test('a span of days is chosen, and one without a sale says so', async () => {
  const opened = await portal.open(`/a/1/pnl?addresses=${wallet}&method=FIFO`, NARROW)
  const { page } = opened
  await page.getByLabel('Periods', { exact: true }).selectOption('TOTAL')
  await page.getByLabel('First day (UTC)').fill('2020-01-01')
  await page.getByLabel('Last day (UTC)').fill('2020-12-31')
  await page.getByText('No sales').waitFor()
  const row = page.getByRole('region', { name: 'Realised PnL by period and method' }).getByRole('row').nth(1)
  await expect.poll(() => figuresIn(row)).toEqual(['0', '0', '0', '0', '0', '0'])
  expect(await opened.axe()).toEqual([])
  await page.getByLabel('First day (UTC)').fill('2021-01-01')
  await page.getByText('The last day is before the first day.').waitFor()
  await opened.clean()
})

test('wallets without a whole history are named, and are in no figure', async () => {
  const opened = await portal.open(`/a/1/pnl?addresses=${wallet},${unsearched}`)
  const { page } = opened
  await page.getByText('Not included (history incomplete)', { exact: false }).waitFor()
  const row = page.getByRole('region', { name: 'Realised PnL by period and method' }).getByRole('row').nth(1)
  await expect.poll(async () => (await figuresIn(row))[1]).toBe('70')
  expect(await opened.axe()).toEqual([])
  await page.goto(`/a/1/pnl?addresses=${unsearched}`)
  await page.getByText('No periods to show').waitFor()
  expect(await opened.axe()).toEqual([])
  await opened.clean()
})

test('the command line shows the same', async () => {
  const { admin } = operator({
    DATABASE_URL: portal.service.databaseUrl,
    COFFER_CHAINS: 'ethereum',
    COFFER_RPC_ETHEREUM: devnet.chains.ethereum.url,
  })
  const asked = ['--account', '1', '--address', wallet, '--from', '2000-01-01', '--to', '2100-01-01']
  const sums = await admin('pnl', 'sums', ...asked)
  expect(sums.map(({ method, realised }: Record<string, string>) => [method, realised])).toEqual([
    ['AVG', '58.571428571428571429'],
    ['FIFO', '70'],
    ['LIFO', '50'],
    ['HIFO', '50'],
  ])
  const lots = await admin('pnl', 'lots', '--method', 'HIFO', ...asked)
  expect(lots.map(({ quantity, gain }: Record<string, string>) => [quantity, gain])).toEqual([
    ['100', '-20'],
    ['90', '0'],
    ['0.03', '30'],
    ['0.02', '40'],
  ])
})
