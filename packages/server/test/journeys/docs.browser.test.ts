import { expect, test } from 'vitest'
import { CALM, startBrowser } from '../browser/start-browser.ts'
import { startService } from '../harness.ts'
import { deepTest, sized } from '../sized.ts'
import { started } from '../started.ts'

const browser = startBrowser()

const service = await started(startService({ endpoints: { ethereum: ['http://127.0.0.1:9'] }, ...CALM }))

/** The first page, one with the widest tables, and one with long lines of code. */
const PATHS = ['/docs/', '/docs/configuration', '/docs/deployment'] as const
const NARROW = { theme: 'dark', width: 320 } as const
const THEMES = [
  NARROW,
  { theme: 'light', width: 320 },
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 1280 },
] as const

test.each(sized<readonly (typeof THEMES)[number][]>({ small: [NARROW], deep: THEMES }))(
  'guides are readable by everyone: $theme, $width pixels',
  async ({ theme, width }) => {
    const { page, axe, clean } = await browser.newPage({
      ...{ baseUrl: service.url, theme, viewport: { width, height: 800 } },
    })
    for (const path of PATHS) {
      await page.goto(path)
      expect([path, await axe()]).toEqual([path, []])
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, width])
    }
    await clean()
  },
)

test('a reader without a mouse gets from the contents to a heading, and on to the next guide', async () => {
  const { page, clean } = await browser.newPage({ baseUrl: service.url })
  await page.goto('/docs')
  await page.keyboard.press('Tab')
  await expect.poll(() => page.locator(':focus').textContent()).toBe('To the text')
  await page.getByRole('main').getByRole('link', { name: 'When it pauses or fails' }).press('Enter')
  await page.waitForURL('**/docs/sync#when-it-pauses-or-fails')
  await expect.poll(() => page.locator('[aria-current="page"]').textContent()).toBe('Sync')
  await page
    .getByRole('navigation', { name: 'Previous and next guide' })
    .getByRole('link', { name: /^Next/ })
    .press('Enter')
  await page.waitForURL('**/docs/accounting')
  await clean()
})

// In `npm test`, openapi.service requests the reference and its script.
deepTest('the reference is reached from a guide and is shown', async () => {
  const { page } = await browser.newPage({ baseUrl: service.url })
  await page.goto('/docs/accounting')
  // Its script checks whether it may evaluate text, and works without.
  await page.getByRole('link', { name: 'API reference' }).press('Enter')
  await page.waitForURL('**/docs/reference/')
  await page.getByRole('heading', { name: 'Completeness' }).first().waitFor()
})
