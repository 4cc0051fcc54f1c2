import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Address } from '../../src/domain/address.ts'
import { decimal } from '../../src/domain/decimal.ts'
import type { Token } from '../../src/domain/token.ts'
import { valueRead } from '../../src/domain/valuation.ts'
import { statementPage } from '../../src/features/statements/statement-page.ts'
import { startBrowser } from './start-browser.ts'

// A downloaded statement: opened from disk, and printed.

const WALLET: Address = `0x${'a1'.repeat(20)}`
const browser = startBrowser()
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coffer-statement-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const names = {
  chain: (key: string) => ({ key, name: 'Ethereum', chainId: '1', explorer: null }),
  protocol: (key: string) => ({ name: key }),
}

/** Names of untrusted tokens, and their text on the page. */
const STRANGE: Readonly<Record<string, string>> = {
  '<img src=x onerror=window.hit=1>': '<img src=x onerror=window.hit=1>',
  '"><svg onload=window.hit=1>': '"><svg onload=window.hit=1>',
  '</td></table><script>window.hit=1</script>': '</td></table><script>window.hit=1</script>',
  '</style><style>*{display:none}</style>': '</style><style>*{display:none}</style>',
  '<a href="https://claim.example">claim</a>': '<a href="https://claim.example">claim</a>',
  '&lt;b&gt;&amp;': '&lt;b&gt;&amp;',
  '\u202egnp.exe\u202c': '[U+202E]gnp.exe[U+202C]',
  '\u2066a\u2069\u200bb\u0000c\u2028d\ud800e': '[U+2066]a[U+2069][U+200B]b[U+0000]c[U+2028]d[U+D800]e',
  '\u3164\u115f\u2800\u00ad\ufe0f': '[U+3164][U+115F][U+2800][U+00AD][U+FE0F]',
  [`Z${'\u0336\u0317\u034a'.repeat(40)}`]: `Z${'\u0336\u0317\u034a'.repeat(40)}`,
  ['W'.repeat(10_000)]: 'W'.repeat(10_000),
  'שלום USDC': 'שלום USDC',
}

/** Writes a statement of `count` tokens, untrusted ones first. Returns its path. */
async function written(count: number): Promise<string> {
  const strange = Object.keys(STRANGE)
  const tokens = Array.from({ length: count }, (_, i): Token => {
    const address: Address = `0x${i.toString(16).padStart(40, '0')}`
    const name = strange[i] ?? `Token ${i}`
    return { chain: 'ethereum', address, symbol: name, name, decimals: 18, listed: false }
  })
  const read = valueRead({
    ...{ chain: 'ethereum', wallet: WALLET, block: 24_000_000n, blockTime: 1_767_312_011, readAt: 0 },
    gaps: [{ protocol: strange[0] ?? '', reason: 'unreadable' }],
    holdings: tokens.map(({ address }, i) => ({ token: address, amountRaw: 10n ** 18n + BigInt(i), receipt: false })),
    positions: [],
    tokens,
    prices: tokens.map(({ address }, i) => ({
      ...{ chain: 'ethereum', token: address, usd: decimal(`${count - i}.000000000000000001`) },
      ...{ source: 'chainlink', confidence: 1 },
    })),
  })
  const statement = { date: '2026-01-02', madeAt: 0, wallets: [{ address: WALLET, reads: [read], incomplete: [] }] }
  let page = ''
  for await (const part of statementPage(statement, names)) page += part
  const file = join(folder, 'holdings.html')
  writeFileSync(file, page)
  return pathToFileURL(file).href
}

async function opened(count: number, viewport?: { width: number; height: number }) {
  const shown = await browser.newPage({ baseUrl: 'http://localhost', ...(viewport && { viewport }) })
  await shown.page.goto(await written(count))
  return shown
}

const NAMES = `[...document.querySelectorAll('.lines tbody th > bdi')].map((one) => one.textContent)`
/** Elements that a misread text would create. */
const MADE = `[window.hit, document.querySelectorAll('main :is(img, svg, script, style, a, b, [onerror], [onload])').length,
  document.styleSheets.length, getComputedStyle(document.querySelector('h1')).display]`
const WIDER = 'document.documentElement.scrollWidth - innerWidth'

test('untrusted text stays text, invisible characters are shown, and nothing is requested', async () => {
  const { page, clean, axe } = await opened(60)
  const shown = await page.evaluate<string[]>(NAMES)
  expect(shown.slice(0, Object.keys(STRANGE).length)).toEqual(Object.values(STRANGE))
  await expect.poll(() => page.locator('.notices li').textContent()).toContain(Object.keys(STRANGE)[0])
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await page.evaluate(MADE)).toEqual([undefined, 0, 1, 'block'])
    expect(await page.evaluate(WIDER)).toBe(0)
    expect(await axe()).toEqual([])
  }
  await clean()
})

test('the page’s own policy stops what its text would not', async () => {
  const { page, faults } = await opened(1)
  await page.evaluate(`document.body.insertAdjacentHTML('beforeend',
    '<img src="https://elsewhere.example/x.png"><p style="color: red">x</p><style>p { display: none }</style>')`)
  const { violations } = await faults()
  expect(violations.map((one) => one.split(' ')[0]).sort()).toEqual(['img-src', 'style-src-attr', 'style-src-elem'])
})

/** Display styles of table parts. */
const SETTING = `['thead', 'tfoot', 'tbody tr'].map((part) => getComputedStyle(document.querySelector('table ' + part))).map(
  ({ display, breakInside }) => display + ' ' + breakInside)`

test('it prints on A4 and on Letter: whole rows, with the names of their columns on each page', async () => {
  const { page, clean } = await opened(300)
  await page.emulateMedia({ media: 'print' })
  const setting = ['table-header-group avoid', 'table-row-group avoid', 'table-row avoid']
  expect(await page.evaluate<string[]>(SETTING)).toEqual(setting)
  const pages = async (format: 'A4' | 'Letter') => {
    const pdf = (await page.pdf({ format })).toString('latin1')
    return [...pdf.matchAll(/\/Type\s*\/Page\b(?!s)/g)].length
  }
  const [a4, letter] = [await pages('A4'), await pages('Letter')]
  console.log(JSON.stringify({ statementPages: { a4, letter } }))
  expect(a4).toBeGreaterThan(5)
  expect(letter).toBeGreaterThanOrEqual(a4)
  expect(letter).toBeLessThan(2 * a4)
  await clean()
})
