import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { PASSWORD } from '../browser/first-user.ts'
import { startPortal } from '../browser/signed-in-portal.ts'
import { startBrowser } from '../browser/start-browser.ts'
import { started } from '../started.ts'

// The portal by Tab, Enter, Space, arrows and Escape only. The focus is visible, and dialogs return it.

/** No control is further from the previous one. */
const MOST_TABS = 80
/** Role, name and outline of the focused element. */
const FOCUS = `(() => {
  const one = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(one)
  return {
    tag: one.localName,
    name: one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent,
    isSeen: outlineStyle !== 'none' && outlineWidth !== '0px',
  }
})()`

type Focus = { tag: string; name: string; isSeen: boolean }

const browser = startBrowser()
const portal = await started(startPortal(browser))

const focusOf = (page: Page): Promise<Focus> => page.evaluate<Focus>(FOCUS)
const focused = async (page: Page): Promise<string> => (await focusOf(page)).name

/** Presses Tab until the control with that name has focus. Every focus on the way must be visible. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = []
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    await page.keyboard.press('Tab')
    const focus = await focusOf(page)
    if (focus.tag !== 'body') expect(focus).toEqual({ ...focus, isSeen: true })
    if (focus.tag !== 'body' && name.test(focus.name)) return
    passed.push(focus.name)
  }
  throw new Error(`no ${name} among ${passed.join(', ')}`)
}

async function press(page: Page, name: RegExp, key = 'Enter'): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press(key)
}

async function type(page: Page, name: RegExp, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.type(text)
}

/** Keys reach an open menu only after it has moved the focus to its first item. */
async function chooseLast(page: Page, first: string, last: string): Promise<void> {
  await expect.poll(() => focused(page)).toBe(first)
  await page.keyboard.press('End')
  await expect.poll(() => focused(page)).toBe(last)
  await page.keyboard.press('Enter')
}

test('a user is made, a key is created and revoked, and the ledger is sorted', async () => {
  const opened = await portal.newPage()
  const { page } = opened
  await page.goto(`/link#${await portal.service.context.makeSetupLink()}`)
  await page.getByLabel('Name').waitFor()
  await press(page, /^Use a password instead$/)
  // Back to the first field, which comes before the button.
  await page.keyboard.press('Shift+Tab')
  await type(page, /^Name$/, 'Ann')
  await type(page, /^Password$/, PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/a\/1\//)

  await press(page, /^API keys$/)
  await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
  await press(page, /^Create a key$/)
  await expect.poll(() => focused(page)).toBe('Name')
  await page.keyboard.press('Escape')
  await expect.poll(() => focused(page)).toBe('Create a key')
  expect((await focusOf(page)).isSeen).toBe(true)

  await page.keyboard.press('Enter')
  await page.keyboard.type('reports')
  await page.keyboard.press('Enter')
  await page.getByText(/^coffer_[A-Za-z0-9]{40,}$/).waitFor()
  await press(page, /^I have copied it$/)
  await expect.poll(() => focused(page)).toBe('Create a key')

  await press(page, /^Actions for reports$/)
  await chooseLast(page, 'Rename', 'Revoke')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).toBe('Actions for reports')
  expect((await focusOf(page)).isSeen).toBe(true)

  await page.keyboard.press('Enter')
  await chooseLast(page, 'Rename', 'Revoke')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.type('reports')
  await page.keyboard.press('Enter')
  const revoked = page.getByRole('row', { name: /reports/ }).getByText('revoked')
  await revoked.waitFor()

  // The way from there to the navigation wraps around the end of the page.
  await press(page, /^Usage and credits$/)
  await press(page, /^Calls$/, 'ArrowRight')
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /Credits from the operator/ }).waitFor()
  await press(page, /^API keys$/)
  await press(page, /^Name$/)
  await page.getByRole('columnheader', { name: 'Name' }).and(page.locator('[aria-sort=ascending]')).waitFor()
  await opened.clean()
})
