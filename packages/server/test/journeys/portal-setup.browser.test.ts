import { beforeEach, expect, test } from 'vitest'
import { PASSWORD } from '../browser/first-user.ts'
import { act, createKey } from '../browser/page-actions.ts'
import { type Portal, startPortal } from '../browser/signed-in-portal.ts'
import { startBrowser, type TestPage } from '../browser/start-browser.ts'
import { deepTest } from '../sized.ts'
import { startedForTest } from '../started.ts'

// From the link of the first start to a call with the user's own key.

const browser = startBrowser()
let portal: Portal

beforeEach(async () => {
  portal = await startedForTest(startPortal(browser))
})

/** Moves each user's last proof of identity eleven minutes back. */
const forgetProofs = () =>
  portal.service.context.database.pool.query(`update portal_session set proved_at = now() - interval '11 minutes'`)

/** The dialog that requires a proof. */
const proofOf = ({ page }: TestPage) => page.getByRole('dialog', { name: 'Confirm your identity' })

test('the first link, a passkey, a key, a call; the passkey proves who it is and signs in again', async () => {
  const { service, baseUrl } = portal
  const opened = await portal.newPage()
  const authenticator = await opened.addAuthenticator()
  await opened.page.goto(`/link#${await service.context.makeSetupLink()}`)
  await opened.page.getByLabel('Name').fill('Ann')
  expect(opened.page.url()).toBe(`${baseUrl}/link`)
  expect(await opened.barriers()).toEqual([])
  await opened.page.getByRole('button', { name: 'Create a passkey' }).click()
  await opened.page.getByRole('button', { name: 'Ann' }).waitFor()
  expect(await authenticator.credentialIds()).toHaveLength(1)
  await opened.page.getByRole('link', { name: 'API keys', exact: true }).click()
  await createKey(opened.page, 'mine')
  const key = await opened.page
    .getByRole('dialog')
    .getByText(/^coffer_[A-Za-z0-9]{40,}$/)
    .textContent()
  expect(await opened.barriers()).toEqual([])
  const answer = await service.get('/v1/credits', { authorization: `Bearer ${key}` })
  expect([answer.status, answer.text]).toEqual([200, '1000000'])

  const { page } = opened
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await forgetProofs()
  await act(page, 'mine', 'Rotate')
  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  const proof = proofOf(opened)
  await proof.waitFor()
  expect(await opened.barriers()).toEqual([])
  await proof.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('row', { name: /^mine/ }).nth(1).waitFor()

  await page.getByRole('button', { name: 'Ann', exact: true }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(/\/a\/1\//)
  await opened.clean({ expected: [/403/] })
})

// In `npm test`: portal-keyboard, for the password, passwords.sql, for the proof, and sessions.sql, for the end.
deepTest('the same with a password, and sign-in with it again; another session is ended', async () => {
  const token = (await portal.service.context.makeSetupLink()) ?? ''
  const opened = await portal.enterBy(token, 'Ann', { theme: 'dark', viewport: { width: 320, height: 640 } })
  const { page } = opened
  await page.context().clearCookies()
  await page.goto('/a/1/keys')
  await page.getByLabel('Name').fill('ANN')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'API keys' }).waitFor()
  expect(await opened.barriers()).toEqual([])

  await forgetProofs()
  await createKey(page, 'mine')
  const proof = proofOf(opened)
  await proof.getByLabel('Password').fill('not the password')
  await proof.getByRole('button', { name: 'Continue' }).click()
  await proof.getByRole('alert').waitFor()
  await proof.getByLabel('Password').fill(PASSWORD)
  await proof.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'I have copied it' }).click()

  // The first session lives on, without its cookie.
  await page.goto('/me')
  const ended = page.getByRole('button', { name: /^End the session from / })
  await ended.click()
  await ended.waitFor({ state: 'detached' })
  await expect.poll(() => page.getByRole('region', { name: 'Sessions' }).getByRole('row').count()).toBe(2)
  await opened.clean({ expected: [/401/, /403/] })
})
