import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type Endpoint,
  endpoints,
  failures,
  incompleteReason,
  pnlReason,
  syncAction,
  syncState,
} from '@coffer/contract'
import { expect, test } from 'vitest'
import { readGuides, renderGuide } from './docs-routes.ts'

const sections = await readGuides()
const guides = sections.flatMap((section) => section.guides)
const names = new Set(guides.map(({ name }) => name))
const textOf = (name: string) => guides.find((guide) => guide.name === name)?.markdown ?? expect.unreachable(name)

test('guides stand in the order in which people need them; a file that no section names has a page too', async () => {
  const folder = pathToFileURL(`${mkdtempSync(join(tmpdir(), 'guides-'))}/`)
  for (const name of ['backup', 'sync', 'credits', 'zebra']) writeFileSync(new URL(`${name}.md`, folder), `# ${name}`)
  writeFileSync(new URL('notes.txt', folder), '')
  const found = await readGuides(folder)
  expect(found.map(({ title, guides: listed }) => [title, listed.map(({ name }) => name)])).toEqual([
    ['Use the API', ['credits', 'sync']],
    ['Run it yourself', ['backup']],
    ['Further reading', ['zebra']],
  ])
  expect(await readGuides(new URL('nothing/', folder))).toEqual([])
  expect(guides[0]?.name).toBe('quickstart')
})

test('every link of a guide leads to a page and a heading that are there', () => {
  const rendered = guides.map((guide) => renderGuide(guide, names))
  const places = new Set(
    rendered.flatMap(({ name, headings }) => [`/docs/${name}`, ...headings.map(({ id }) => `/docs/${name}#${id}`)]),
  )
  const links = rendered.flatMap(({ name, html }) =>
    [...html.matchAll(/ href="(#[^"]*|\/docs\/[^"/]*)"/g)].map(([, href = '']) =>
      href.startsWith('#') ? `/docs/${name}${href}` : href,
    ),
  )
  expect(links.length).toBeGreaterThan(100)
  expect(links.filter((link) => !places.has(link))).toEqual([])
})

/** Code texts in the first cells of all tables of a guide. */
const namedIn = (name: string) =>
  new Set(
    [...textOf(name).matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', ')),
  )

test('what the interface can say is explained where people look for it', () => {
  const completeness = namedIn('completeness')
  for (const reason of [...incompleteReason.options, ...pnlReason.options])
    expect(completeness, reason).toContain(reason)
  const statuses = new Set(Object.values(failures).map(({ status }) => String(status)))
  const errors = namedIn('errors')
  for (const status of statuses) expect(errors, status).toContain(status)
  const sync = namedIn('sync')
  for (const action of syncAction.options) expect(sync, action).toContain(action)
  for (const state of syncState.options) expect(textOf('sync')).toContain(`\`${state}\``)
})

test('the price list is that of the interface', () => {
  const prices = new Map<string, number | string>()
  for (const { method, path, cost } of Object.values<Endpoint>(endpoints)) {
    prices.set(`${method} ${path}`, typeof cost === 'number' ? cost : 'depends')
  }
  const withPrice = (price: number | string) =>
    [...prices].flatMap(([call, own]) => (own === price ? [call] : [])).sort()
  expect(withPrice(0)).toEqual([
    'DELETE /v1/watches/:watchId',
    'DELETE /v1/webhooks/:webhookId',
    'GET /v1/beacon/validators/deposits/index/:index',
    'GET /v1/beacon/validators/deposits/pubkey/:pubkey',
    'GET /v1/beacon/validators/rewards/index/:index',
    'GET /v1/beacon/validators/rewards/pubkey/:pubkey',
    'GET /v1/beacon/validators/withdrawals/index/:index',
    'GET /v1/beacon/validators/withdrawals/pubkey/:pubkey',
    'GET /v1/chains',
    'GET /v1/chains/:chainKey/protocols',
    'GET /v1/credits',
    'GET /v1/status',
    'GET /v1/watches',
    'GET /v1/webhooks',
    'GET /v1/webhooks/:webhookId/deliveries',
    'PATCH /v1/webhooks/:webhookId',
    'POST /v1/watches',
    'POST /v1/webhooks',
    'POST /v1/webhooks/:webhookId/replay',
    'POST /v1/webhooks/:webhookId/rotate',
    'POST /v1/webhooks/:webhookId/test',
  ])
  expect(withPrice('depends')).toEqual([
    'GET /v1/portfolio/at-block',
    'GET /v1/portfolio/series',
    'GET /v1/virtual-users/portfolio',
    'POST /v1/subscribe-snapshot',
  ])
  expect(withPrice(10)).toEqual(['GET /v1/gains/export', 'GET /v1/holdings/export', 'GET /v1/transactions/export'])
  const special = [0, 10, 'depends'].flatMap(withPrice)
  expect(prices.size - special.length).toBe(withPrice(1).length)
  const reported = namedIn('credits')
  for (const call of [
    'GET /v1/status',
    '/v1/credits',
    'POST /v1/sync-transactions',
    'GET /v1/transactions/export',
    'every other call',
  ]) {
    expect(
      [...reported].some((cell) => cell.startsWith(call)),
      call,
    ).toBe(true)
  }
})
