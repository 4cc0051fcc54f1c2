import { ownArtifact, startDevnet } from '@coffer/devnet'
import type { Page } from 'playwright-core'
import { type Address, parseEther } from 'viem'
import { expect, inject, test } from 'vitest'
import { untilSearched } from '../browser/page-actions.ts'
import { startSignedInPortal } from '../browser/signed-in-portal.ts'
import { startBrowser, type TestPage } from '../browser/start-browser.ts'
import { createStage } from '../hostile/stage.ts'
import { seededRandom } from '../random.ts'
import { started } from '../started.ts'
import { syncTransactions } from '../sync.ts'

// Texts from untrusted contracts and from users are only text: the page interprets none of them.

const random = seededRandom('portal-strangers')
const SPENDER = '0x00000000000000000000000000000000000000a1'
/** Token names; their beginning is the symbol. */
const TEXTS = [
  '<img src=x onerror=window.hit=1>',
  '"><svg onload=window.hit=1>',
  'javascript:window.hit=1',
  'https://claim.example/now',
  `${'W'.repeat(10_000)}`,
  '\u202egnp.exe\u202c \u200bzero\u200bwidth',
  "{{constructor.constructor('window.hit=1')()}}",
]
const WIDE = { width: 1280, height: 800 }
const NARROW = { width: 320, height: 640 }
const LABELS = ['<b onclick=window.hit=1>Cold</b>', `${'M'.repeat(200)}`, '\u202egnp.exe']

const browser = startBrowser()
const wallet = random.address() as Address

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const portal = await started(startSignedInPortal(browser, { devnet }))
const { service, user } = portal
const chain = devnet.chains.ethereum
const artifact = { token: ownArtifact('HostileToken'), vault: ownArtifact('HostileVault') }
const stage = await createStage({ chain, artifact }, random)
await chain.actions.native.give(wallet, parseEther('3'))
for (const text of TEXTS) {
  const token = await stage.token({ name: text, symbol: text.slice(0, 100) })
  await token.mint(wallet, parseEther('7'))
  await token.pretendApproval(wallet, SPENDER, 5n)
}
const others = LABELS.map((label) => ({ address: random.address(), label }))
await service.client.addToAddressBook({ body: { entries: [{ address: wallet, label: LABELS[0] ?? '' }, ...others] } })
for (const label of LABELS) await user.post('/accounts/1/virtual-users', { type: 'BALANCE', label })
expect(await syncTransactions(service, wallet)).toBe('done')
await untilSearched(service, wallet)

/** Results of a misread text: elements that no screen has, and links to other sites. */
const MADE = `({
  hit: window.hit,
  elements: [...document.querySelectorAll('main img, main b, main [onerror], main [onload], main [onclick], main script')]
    .map((one) => one.outerHTML),
  links: [...document.body.querySelectorAll('[href], [src], [action]')]
    .map((one) => one.href?.baseVal ?? one.href ?? one.src ?? one.action)
    .filter((link) => !link.startsWith('#') && new URL(link, location.href).origin !== location.origin),
})`
const WIDTHS = '[document.documentElement.scrollWidth - innerWidth, document.body.scrollWidth - innerWidth]'

const shownText = async (page: Page) => ((await page.locator('main').textContent()) ?? '').toLowerCase()

const W = 'w'.repeat(32)
const BEGINNINGS = ['<img src=x', '"><svg', 'javascript:', 'https://claim', W, 'gnp.exe zerowidth', '{{con']

const SCREENS = [
  { path: '/a/1/overview', texts: LABELS.slice(0, 1) },
  { path: '/a/1/portfolio', texts: BEGINNINGS },
  { path: '/a/1/transactions', texts: BEGINNINGS },
  { path: '/a/1/approvals', texts: ['7 approvals are open', 'unlisted token'] },
  { path: '/a/1/address-book', texts: LABELS },
  { path: '/a/1/virtual-users', texts: LABELS },
]

/** Checks a screen in a page that navigates from one to the next. */
async function look(opened: TestPage, { path, texts }: (typeof SCREENS)[number]): Promise<void> {
  const { page } = opened
  // Wide enough to list all.
  await page.setViewportSize(WIDE)
  await page.goto(`${path}?addresses=${wallet}`)
  const unpriced = page.getByLabel(/^Show \d+ small or unpriced$/)
  if (path.endsWith('portfolio')) await unpriced.check()
  for (const text of texts) {
    await expect.poll(() => shownText(page), { message: path }).toContain(text.toLowerCase())
  }
  for (const viewport of [WIDE, NARROW]) {
    await page.setViewportSize(viewport)
    expect({ path, ...(await page.evaluate<object>(MADE)) }).toEqual({ path, hit: undefined, elements: [], links: [] })
    expect([path, Math.max(...(await page.evaluate<number[]>(WIDTHS)))]).toEqual([path, 0])
    expect([path, await opened.barriers()]).toEqual([path, []])
  }
}

test('on every screen that shows what others wrote', async () => {
  const opened = await portal.open('/me')
  for (const screen of SCREENS) await look(opened, screen)
  await opened.clean()
})
