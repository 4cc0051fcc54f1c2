import { beforeEach, expect, test } from 'vitest'
import { createAccount } from '../../src/features/accounts/accounts.ts'
import { createLink } from '../../src/features/portal-users/links.ts'
import { PASSWORD } from '../browser/first-user.ts'
import { type SignedInPortal, startSignedInPortal } from '../browser/signed-in-portal.ts'
import { startBrowser, type TestPage } from '../browser/start-browser.ts'
import { startIssuer } from '../portal/openid-provider.ts'
import { deepTest } from '../sized.ts'
import { started, startedForTest } from '../started.ts'

// Sign-in with a local OpenID provider, and the remaining ways to sign in after a removal.

const browser = startBrowser()
const issuer = await started(startIssuer())
let portal: SignedInPortal

beforeEach(async () => {
  portal = await startedForTest(startSignedInPortal(browser, { env: issuer.env }))
  issuer.serve(`${portal.baseUrl}/openid`)
})

const enterAtIssuer = ({ page }: TestPage) => page.getByRole('button', { name: 'Enter' }).click()

/** Expects no errors, apart from the visit to the issuer. */
async function expectClean(opened: TestPage, expected: readonly RegExp[] = []) {
  const { violations, consoleErrors, pageErrors, foreignRequests } = await opened.faults()
  const elsewhere = foreignRequests.filter((url) => !url.startsWith(issuer.url))
  const errors = consoleErrors.filter((line) => !expected.some((pattern) => pattern.test(line)))
  expect([...violations, ...errors, ...pageErrors, ...elsewhere]).toEqual([])
}

test('an account is linked, signs in, and leads to where one wanted to go', async () => {
  issuer.become('ann')
  const linking = await portal.open('/me')
  await linking.page.getByRole('button', { name: 'Link an account of Example' }).click()
  await enterAtIssuer(linking)
  await linking.page.getByText('ann@login.example').waitFor()
  expect(linking.page.url()).toBe(`${portal.baseUrl}/me`)
  expect(await linking.barriers()).toEqual([])
  await expectClean(linking)
  const opened = await portal.newPage({ viewport: { width: 320, height: 640 }, theme: 'dark' })
  const { page } = opened
  await page.goto('/a/1/keys')
  await page.getByRole('button', { name: 'Sign in with Example' }).waitFor()
  expect(await opened.barriers()).toEqual([])
  await page.getByRole('button', { name: 'Sign in with Example' }).click()
  await enterAtIssuer(opened)
  await page.getByRole('heading', { name: 'API keys' }).waitFor()
  expect(page.url()).toBe(`${portal.baseUrl}/a/1/keys`)
  await expectClean(opened, [/401/])
})

// In `npm test`: openid.sql, for the answer.
deepTest('a failure is reported on a page that leads back to the sign-in', async () => {
  issuer.become('nobody')
  const opened = await portal.newPage({ locale: 'de-DE' })
  const { page } = opened
  await page.goto('/sign-in')
  await issuer.goDown()
  await page.getByRole('button', { name: 'Mit Example anmelden' }).click()
  await page.getByRole('alert').getByText('Example did not answer: try again later').waitFor()
  expect(page.url()).toBe(`${portal.baseUrl}/sign-in`)
  await issuer.comeBack()
  await page.getByRole('button', { name: 'Mit Example anmelden' }).click()
  await enterAtIssuer(opened)
  await page.getByRole('alert').getByText('No user of Coffer has linked nobody@login.example').waitFor()
  expect(page.url()).toBe(`${portal.baseUrl}/openid`)
  expect(await opened.barriers()).toEqual([])
  await page.getByRole('link', { name: 'Zurück zur Anmeldung' }).click()
  await page.getByRole('button', { name: 'Mit Example anmelden' }).waitFor()
  await expectClean(opened, [/401/, /502/])
})

// In `npm test`: openid.sql and members.sql.
deepTest(
  'an invitation leads to the account that was joined: with an account elsewhere, and as who is signed in',
  async () => {
    const { db } = portal.service.context.database
    const firm = { name: 'Firm', plan: 'PRO', entitlements: ['portfolio'], credits: 0 } as const
    const { id } = await createAccount(db, firm)
    const invite = async () =>
      `/link#${(await createLink(db, { kind: 'invitation', accountId: id, role: 'viewer', madeBy: null })).token}`
    issuer.become('bob')
    const opened = await portal.newPage()
    await opened.page.goto(await invite())
    await opened.page.getByLabel('Name').fill('Bob')
    await opened.page.getByRole('button', { name: 'Use Example instead' }).click()
    await enterAtIssuer(opened)
    await opened.page.waitForURL(`${portal.baseUrl}/a/${id}/**`)
    await expectClean(opened)
    const joining = await portal.open(await invite())
    await joining.page.getByRole('button', { name: 'Join as Ann' }).click()
    await joining.page.waitForURL(`${portal.baseUrl}/a/${id}/**`)
    await joining.clean()
    const third = await portal.newPage()
    await third.page.goto(await invite())
    await third.page.getByLabel('Name').fill('Cem')
    await third.page.getByRole('button', { name: 'Use a password instead' }).click()
    await third.page.getByLabel('Password').fill(PASSWORD)
    await third.page.getByRole('button', { name: 'Set the password' }).click()
    await third.page.waitForURL(`${portal.baseUrl}/a/${id}/**`)
    await third.clean()
  },
)

// In `npm test`: last-way.sql.
deepTest('the last way to sign in has no button that removes it', async () => {
  const { db } = portal.service.context.database
  issuer.become('dora')
  const { token } = await createLink(db, { kind: 'invitation', accountId: '1', role: 'viewer', madeBy: null })
  const opened = await portal.newPage()
  const { page } = opened
  await page.goto(`/link#${token}`)
  await page.getByLabel('Name').fill('Dora')
  await page.getByRole('button', { name: 'Use Example instead' }).click()
  await enterAtIssuer(opened)
  await page.waitForURL(/\/a\/1\//)
  await page.goto('/me')
  await page.getByText('This is your only way to sign in. Add another before you remove it.').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Unlink dora@login.example' }).count()).toBe(0)
  expect(await opened.barriers()).toEqual([])
  await page.getByLabel('New password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Set a password' }).click()
  await page.getByRole('button', { name: 'Unlink dora@login.example' }).click()
  await page.getByText('No linked accounts yet. A linked account signs you in.').waitFor()
  await expectClean(opened)
})
