import { expect, test } from 'vitest'
import { PASSWORD } from '../browser/first-user.ts'
import { act, invite, signIn } from '../browser/page-actions.ts'
import { startSignedInPortal } from '../browser/signed-in-portal.ts'
import { startBrowser, type TestPage } from '../browser/start-browser.ts'
import { operator } from '../operator.ts'
import { deepTest } from '../sized.ts'
import { started } from '../started.ts'

// The use, members and audit log of an account, and its operator's view and changes.

const browser = startBrowser()

const portal = await started(startSignedInPortal(browser))
const service = portal.service

const NEW_PASSWORD = 'another horse battery staple'
const NARROW = { theme: 'dark', viewport: { width: 320, height: 640 } } as const

test('calls with a key are seen by day, endpoint and key, and what they took in the ledger', async () => {
  const { ownerKey } = service
  // 1 credit each.
  for (const address of ['0x00000000000000000000000000000000000000a1', '0x00000000000000000000000000000000000000a2']) {
    await service.client.addToAddressBook({ body: { entries: [{ address, label: 'x' }] } })
  }
  for (const path of ['/v1/nav?addresses=nothing', '/v1/nav?addresses=nothing', '/v1/credits']) {
    await service.get(path, { authorization: `Bearer ${ownerKey}` })
  }
  await service.context.usage.flush()
  const opened = await portal.open('/a/1/usage')
  const { page } = opened
  const endpoints = page.getByRole('region', { name: 'By endpoint' })
  // 2 calls with a wrong address, none answered, no credits.
  await expect.poll(() => endpoints.getByRole('row', { name: 'getNav' }).textContent()).toBe('getNav2020')
  await page.getByText('The request was invalid').waitFor()
  expect(await opened.barriers()).toEqual([])
  await page.getByRole('tab', { name: 'Ledger' }).click()
  await page.getByRole('row', { name: 'Credits from the operator' }).getByText('+1,000,000').waitFor()
  const taken = page.getByRole('region', { name: 'Credits spent on calls in the last 30 days' })
  await taken.getByRole('row', { name: /· addToAddressBook/ }).waitFor()
  const rows = taken.getByRole('row')
  await expect.poll(() => rows.count()).toBe(2)
  // Calls, answered and unanswered, and their credits.
  const cells = async () => (await rows.nth(1).getByRole('cell').allTextContents()).slice(-4)
  await expect.poll(cells).toEqual(['2', '2', '0', '2'])
  expect(await opened.barriers()).toEqual([])
  await page.goto('/a/1/keys')
  await page.getByText('5 calls').waitFor()
  expect(await opened.barriers()).toEqual([])
  await opened.clean()
})

test('an accountant is invited, joins, sees and cannot invite; its role and its going are written down', async () => {
  const owner = await portal.open('/a/1/members')
  const token = await invite(owner.page, 'accountant')
  expect(await owner.barriers()).toEqual([])
  await owner.page.getByRole('button', { name: 'I have copied it' }).click()

  const accountant = await portal.enterBy(token, 'Mia', NARROW)
  await accountant.page.goto('/a/1/members')
  await accountant.page.getByRole('row', { name: 'Mia' }).getByText('accountant').waitFor()
  await expect.poll(() => accountant.page.getByRole('button', { name: 'Invite a member' }).count()).toBe(0)
  expect(await accountant.barriers()).toEqual([])

  await owner.page.reload()
  await act(owner.page, 'Mia', 'Change the role')
  await owner.page.getByLabel('Role', { exact: true }).selectOption('viewer')
  await owner.page.getByRole('button', { name: 'Change', exact: true }).click()
  await owner.page.getByRole('row', { name: 'Mia' }).getByText('viewer').waitFor()
  await act(owner.page, 'Mia', 'Remove')
  await owner.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await owner.page.getByRole('row', { name: 'Mia' }).waitFor({ state: 'detached' })

  await owner.page.goto('/a/1/audit')
  await owner.page.getByRole('row').nth(4).waitFor()
  expect(await owner.barriers()).toEqual([])
  await owner.clean()
})

// In `npm test`: members.sql, for the last owner and for a user without an account.
deepTest('a member leaves and is in no account any more; the last owner cannot leave', async () => {
  const owner = await portal.open('/a/1/members')
  const token = await invite(owner.page, 'owner')
  await owner.page.getByRole('button', { name: 'I have copied it' }).click()

  const member = await portal.enterBy(token, 'Ben', NARROW)
  const leave = async ({ page }: TestPage, name: string) => {
    await page.goto('/a/1/members')
    await act(page, name, 'Remove')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  }
  await leave(member, 'Ben')
  await member.page.waitForURL(/\/sign-in/)
  await signIn(member.page, 'Ben', PASSWORD)
  await member.page.waitForURL(/\/me$/)
  await member.page.getByRole('heading', { name: 'Security and sessions' }).waitFor()
  await expect.poll(() => member.page.getByRole('link', { name: 'Holdings' }).count()).toBe(0)
  expect(await member.barriers()).toEqual([])
  await member.page.goto('/a/1/keys')
  await member.page.getByText('You have no such account.').waitFor()

  await leave(owner, 'Ann')
  await owner.page.getByRole('alert').getByText('An account needs an owner').waitFor()
  expect(await owner.barriers()).toEqual([])
  await owner.page.keyboard.press('Escape')
  await owner.page.getByRole('row', { name: 'Ann' }).waitFor()
  await expect.poll(() => owner.page.getByRole('row', { name: 'Ben' }).count()).toBe(0)
  await owner.clean({ expected: [/409/] })
  await member.clean({ expected: [/401/, /404/, /You have no such account/] })
})

test('an operator creates an account, gives it credits once for a reference, and checks the ledger', async () => {
  const opened = await portal.open('/operator')
  const { page } = opened
  await page.getByRole('button', { name: 'Create an account' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Second')
  await page.getByLabel('Plan').selectOption('PRO')
  await page.getByLabel('portfolio').check()
  await page.getByLabel('Credits', { exact: true }).fill('250')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const row = page.getByRole('row', { name: 'Second' })
  await row.getByText('250', { exact: true }).waitFor()
  for (const answer of ['given', 'repeated']) {
    await act(page, 'Second', 'Give credits')
    await page.getByLabel('Credits', { exact: true }).fill('50')
    await page.getByLabel('Reference').fill('invoice 7')
    await page.getByRole('button', { name: 'Give', exact: true }).click()
    if (answer === 'repeated') await page.getByText('No credits given').waitFor()
  }
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await row.getByText('300', { exact: true }).waitFor()
  expect(await opened.barriers()).toEqual([])
  for (const tab of ['Chains and nodes', 'Jobs', 'Failing syncs', 'Price sources', 'Configuration', 'Ledger']) {
    await page.getByRole('tab', { name: tab }).click()
    await page.getByRole('tabpanel', { name: tab }).getByText(/./).first().waitFor()
    expect([tab, await opened.barriers()]).toEqual([tab, []])
  }
  await page.getByRole('button', { name: 'Check the ledger' }).click()
  await page.getByText('The ledger is consistent.').waitFor()
  await opened.clean()
})

// Runs last: it ends the session of the file's user. In `npm test`: sessions.sql, and the sign-in of portal-screens.
deepTest('who is locked out gets in by a link of the operator, and whoever was in as that user is out', async () => {
  const lost = await portal.open('/a/1/keys')
  await lost.page.getByRole('heading', { name: 'API keys' }).waitFor()
  const { admin } = operator({ DATABASE_URL: service.databaseUrl })
  const { url } = await admin('portal', 'link', '--user', 'Ann')
  const link = `/link${new URL(url).hash}`

  const opened = await portal.newPage(NARROW)
  const { page } = opened
  await page.goto(link)
  await page.getByRole('heading', { name: 'Regain access' }).waitFor()
  await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Ann')
  await expect.poll(() => page.getByLabel('Name').isEditable()).toBe(false)
  await page.getByRole('button', { name: 'Use a password instead' }).click()
  expect(await opened.barriers()).toEqual([])
  await page.getByLabel('Password').fill(NEW_PASSWORD)
  await page.getByRole('button', { name: 'Set the password' }).click()
  await page.waitForURL(/\/a\/1\//)

  await lost.page.reload()
  await lost.page.waitForURL(/\/sign-in/)
  await signIn(lost.page, 'Ann', PASSWORD)
  await lost.page.getByRole('alert').waitFor()
  await signIn(lost.page, 'Ann', NEW_PASSWORD)
  await lost.page.waitForURL(/\/a\/1\//)
  await lost.page.goto(link)
  await lost.page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  await opened.clean()
  await lost.clean({ expected: [/401/, /404/] })
})
