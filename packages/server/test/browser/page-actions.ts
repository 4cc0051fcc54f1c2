import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { vi } from 'vitest'
import { HANGS_MS } from '../hangs.ts'
import type { TestService } from '../harness.ts'

/** Exact figures in a part of the page, in order. */
export const figuresIn = (part: Locator): Promise<string[]> =>
  part.locator('data').evaluateAll((all) => all.map((one) => one.getAttribute('value') ?? ''))

/** Signs in with a name and a password, from any page. */
export async function signIn(page: Page, name: string, password: string): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Chooses an action from the menu of a row. */
export async function act(page: Page, row: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${row}` }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

/** Fills the dialog for a new key, on the screen of keys. */
export async function createKey(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Create a key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
}

/** Makes an invitation on the screen of members, whose link stays shown. Returns its token. */
export async function invite(page: Page, role: string): Promise<string> {
  await page.getByRole('button', { name: 'Invite a member' }).first().click()
  await page.getByLabel('Role', { exact: true }).selectOption(role)
  await page.getByRole('button', { name: 'Create a link' }).click()
  const link = (await page.getByText(/\/link#/).textContent()) ?? ''
  return link.split('#')[1] ?? ''
}

/** The file that an action of the page saves. */
export async function savedFile(page: Page, save: () => Promise<unknown>) {
  const [download] = await Promise.all([page.waitForEvent('download'), save()])
  const text = readFileSync(await download.path(), 'utf8')
  return { name: download.suggestedFilename(), text, rows: text.trimEnd().split(/\r?\n/) }
}

/** Waits until the service has searched the wallet for unlisted tokens. */
export async function untilSearched(service: TestService, wallet: string): Promise<void> {
  const isWhole = async () => !(await service.get(`/v1/portfolio?addresses=${wallet}`)).text.includes('"searching"')
  await vi.waitUntil(isWhole, { timeout: HANGS_MS })
}
