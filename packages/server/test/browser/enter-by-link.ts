import type { Page } from 'playwright-core'

export async function enterByLink(page: Page, link: string, name: string, password: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Use a password instead' }).click()
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Set the password' }).click()
  await page.waitForURL(/\/a\/1\//)
}
