import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { act } from '../browser/page-actions.ts'
import { startSignedInPortal } from '../browser/signed-in-portal.ts'
import { startBrowser, type TestPage } from '../browser/start-browser.ts'
import { signedIn } from '../portal/portal-caller.ts'
import { started } from '../started.ts'
import { type Received, startReceiver } from '../webhook-receiver.ts'

// A webhook from its first test to its end, over a real receiver: it works, fails, is disabled and is sent again.

/** Possible answer of an untrusted server. */
const HOSTILE = '<img src=x onerror=window.hit=1>\u202egnp.exe'
const NARROW = { theme: 'dark', viewport: { width: 320, height: 640 } } as const

const browser = startBrowser()
let isUp = true

const portal = await started(startSignedInPortal(browser, { env: { COFFER_WEBHOOK_NETWORKS: '127.0.0.0/8' } }))
const receiver = await started(startReceiver((_, response) => response.writeHead(isUp ? 200 : 500).end(HOSTILE)))

const query = (text: string) => portal.service.context.database.pool.query(text)
const hookUrl = () => `${receiver.url}/hook`

/** Flaws of the current page: broken accessibility rules, misread text, and its width. */
async function flaws(opened: TestPage): Promise<unknown[]> {
  const made = await opened.page.evaluate<number>(`document.querySelectorAll('main img, dialog img').length`)
  const wider = await opened.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  const hit = await opened.page.evaluate('window.hit')
  return [...(await opened.barriers()), ...(made || wider > 0 || hit ? [{ made, wider, hit }] : [])]
}

const signatureOf = ({ headers, body }: Received, secret: string): string =>
  createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
    .digest('base64')

/** The secret that a dialog shows once. */
async function takeSecret({ page }: TestPage): Promise<string> {
  const dialog = page.getByRole('dialog', { name: /^New secret for/ })
  const secret = (await dialog.getByText(/^whsec_/).textContent()) ?? ''
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  return secret
}

async function sendTest(opened: TestPage, outcome: string): Promise<void> {
  const { page } = opened
  await act(page, hookUrl(), 'Send a test')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Send a test' }).click()
  await dialog.getByText(outcome).waitFor()
  await dialog.getByText('<img src=x onerror=window.hit=1>').waitFor()
  expect(await flaws(opened)).toEqual([])
  await dialog.getByRole('button', { name: 'Done' }).click()
}

const rowsOf = (page: Page) => page.getByRole('region', { name: 'Deliveries', exact: true }).getByRole('row')

test('a webhook is made, tested, fails, is given up, and what was given up is sent again', async () => {
  const opened = await portal.open('/a/1/webhooks')
  const { page } = opened
  await page.getByText('No webhooks yet').waitFor()
  await page.getByRole('button', { name: 'Create a webhook' }).first().click()
  const form = page.getByRole('dialog')
  await form.getByLabel('URL').fill('http://10.0.0.1/hook')
  await form.getByRole('checkbox', { name: 'sync.ended' }).uncheck()
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  await form.getByRole('alert').getByText('not of the public internet').waitFor()
  expect(await flaws(opened)).toEqual([])
  await form.getByLabel('URL').fill(hookUrl())
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  const secret = await takeSecret(opened)
  const { data } = await portal.service.client.listWebhooks()
  expect(data).toMatchObject([{ url: hookUrl(), kinds: expect.not.arrayContaining(['sync.ended']) }])

  await sendTest(opened, 'answered 200')
  const [first] = receiver.received as [Received]
  expect(first.headers['webhook-signature']).toBe(`v1,${signatureOf(first, secret)}`)
  await rowsOf(page).filter({ hasText: 'delivered' }).waitFor()

  isUp = false
  await sendTest(opened, 'Next attempt:')
  const failed = receiver.received[1]?.headers['webhook-id']
  const row = rowsOf(page).filter({ hasText: String(failed) })
  await row.filter({ hasText: 'waiting' }).filter({ hasText: 'answered 500' }).waitFor()
  // Simulates a wait that began more than three days ago.
  await query(`update webhook_delivery set since = coffer_now() - interval '73 hours'`)
  await query('update webhook_lane set next_at = coffer_now() where next_at is not null')
  await row.filter({ hasText: 'given up' }).waitFor()

  await page.getByLabel('State').selectOption('given up')
  await expect.poll(() => rowsOf(page).count()).toBe(2)
  expect(new URL(page.url()).searchParams.get('state')).toBe('dead')
  await act(page, String(failed), 'Details')
  await page.getByRole('dialog').getByText('"type":"webhook.test"', { exact: false }).waitFor()
  expect(await flaws(opened)).toEqual([])
  await page.keyboard.press('Escape')

  isUp = true
  await query(`update webhook_lane set next_at = coffer_now() + interval '12 hours'`)
  const { length } = receiver.received
  await act(page, String(failed), 'Send again')
  await expect.poll(() => receiver.received.length).toBe(length + 1)
  expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(failed)
  await page.getByText('No deliveries in this state').waitFor()
  await page.getByLabel('State').selectOption('all')
  await row.filter({ hasText: 'delivered' }).waitFor()
  await opened.clean({ expected: [/400/] })
})

test('a watch is added, shown and removed', async () => {
  const opened = await portal.open('/a/1/webhooks', NARROW)
  const { page } = opened
  await page.getByRole('button', { name: 'Add a watch' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Kind').selectOption('Balance')
  expect(await flaws(opened)).toEqual([])
  await form.getByLabel('Kind').selectOption('Credits')
  await form.getByLabel('Threshold').fill('1.5')
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  await form.getByRole('alert').getByText('must be a whole number of credits').waitFor()
  await expect.poll(() => form.getByLabel('Threshold').getAttribute('aria-invalid')).toBe('true')
  expect(await flaws(opened)).toEqual([])
  await form.getByLabel('Threshold').fill('123456789012345')
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('row', { name: 'Credits' }).getByText('below 123,456,789,012,345').waitFor()
  expect(await portal.service.client.listWatches()).toMatchObject({
    data: [{ type: 'credits', threshold: '123456789012345' }],
  })
  expect(await flaws(opened)).toEqual([])
  await page.getByRole('button', { name: 'Remove Credits' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('No watches yet').waitFor()
  expect(await portal.service.client.listWatches()).toMatchObject({ data: [] })
  await opened.clean({ expected: [/400/] })
})

test('a span is sent again, the secret is rotated, and the webhook is changed, stopped and deleted', async () => {
  const opened = await portal.open('/a/1/webhooks', NARROW)
  const { page } = opened
  const { length } = receiver.received
  const sent = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  await page.getByRole('button', { name: 'Resend a period' }).click()
  await page.getByLabel('Which').selectOption('Both')
  expect(await flaws(opened)).toEqual([])
  await page.getByLabel('From').fill('2020-01-01T00:00')
  await page.getByLabel('Until').fill('2019-01-01T00:00')
  await page.getByText('The period must end after it begins.').waitFor()
  await page.getByLabel('Until').fill('2100-01-01T00:00')
  await page.getByRole('button', { name: 'Send again', exact: true }).click()
  await page.getByText(`${sent.size} deliveries are queued again.`).waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await expect.poll(() => receiver.received.length).toBe(length + sent.size)
  expect(new Set(receiver.received.slice(length).map(({ headers }) => headers['webhook-id']))).toEqual(sent)

  await act(page, hookUrl(), 'Rotate the secret')
  await page.getByLabel('The old secret ends').selectOption('after 168 hours')
  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  const secret = await takeSecret(opened)
  await page.getByText('old secret ends').waitFor()
  const [webhook] = (await portal.service.client.listWebhooks()).data
  const hoursLeft = (Date.parse(String(webhook?.oldSecretUntil)) - Date.now()) / 3_600_000
  expect(Math.round(hoursLeft)).toBe(168)
  await sendTest(opened, 'answered 200')
  const last = receiver.received.at(-1) as Received
  const [current, old] = String(last.headers['webhook-signature']).split(' ')
  expect(current).toBe(`v1,${signatureOf(last, secret)}`)
  expect(old).toMatch(/^v1,/)

  await act(page, hookUrl(), 'Change')
  await page.getByLabel('URL').fill(`${receiver.url}/other`)
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await act(page, `${receiver.url}/other`, 'Stop')
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByText('stopped').waitFor()
  expect(await flaws(opened)).toEqual([])
  await page.getByRole('button', { name: `Actions for ${receiver.url}/other` }).click()
  await expect.poll(() => page.getByRole('menuitem', { name: 'Send a test' }).count()).toBe(0)
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('No webhooks yet').waitFor()
  expect(await portal.service.client.listWebhooks()).toMatchObject({ data: [] })
  await opened.clean()
})

test('who may only look sees deliveries and watches and can change nothing', async () => {
  await portal.user.post('/accounts/1/v1/webhooks', { url: hookUrl(), kinds: ['sync.ended'] })
  await portal.user.post('/accounts/1/v1/watches', { type: 'credits', threshold: '1' })
  const { cookie } = await signedIn(portal.service, { accountId: '1', role: 'viewer' })
  const [name = '', value = ''] = cookie.split('=')
  const opened = await portal.open('/a/1/webhooks', { cookie: { name, value }, locale: 'de-DE' })
  const { page } = opened
  await page.getByRole('row', { name: /hook/ }).waitFor()
  await page.getByText('Noch keine Zustellungen').waitFor()
  await page.getByRole('row', { name: /^Guthaben .*unter 1 / }).waitFor()
  const changing = page.getByRole('button', { name: /erstellen|Aktionen für|erneut senden|hinzufügen|entfernen/ })
  await expect.poll(() => changing.count()).toBe(0)
  expect(await flaws(opened)).toEqual([])
  const init = `{ method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"url":"https://a.example/","kinds":["sync.ended"]}' }`
  const status = `fetch('/portal/api/accounts/1/v1/webhooks', ${init}).then(({ status }) => status)`
  expect(await page.evaluate(status)).toBe(403)
  await opened.clean({ expected: [/403/] })
})
