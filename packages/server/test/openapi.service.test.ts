import { endpoints } from '@coffer/contract'
import { expect, test } from 'vitest'
import { startService } from './harness.ts'
import { lintOpenApi } from './lint-openapi.ts'
import { started } from './started.ts'

type Document = Record<string, unknown> & {
  info: Record<string, unknown>
  paths: Record<string, Record<string, { responses: Record<string, object> }>>
  components: { schemas: Record<string, object> }
}

/** Written by hand: every route with all its possible answers. */
const ANSWERS: Record<string, string> = {
  'get /v1/addressbook': '200 400 401 402 403 429 500 503',
  'post /v1/addressbook': '200 400 401 402 403 413 422 429 500 503',
  'patch /v1/addressbook/{address}': '200 400 401 402 403 404 413 429 500 503',
  'delete /v1/addressbook/{address}': '204 400 401 402 403 404 409 429 500 503',
  'get /v1/airdrop': '200 400 401 402 403 429 500 502 503',
  'get /v1/approvals/{chain}': '200 400 401 402 403 429 500 502 503',
  'get /v1/beacon/validators/details/index/{index}': '200 400 401 402 403 404 429 500 501 502 503',
  'get /v1/beacon/validators/details/pubkey/{pubkey}': '200 400 401 402 403 404 429 500 501 502 503',
  'get /v1/beacon/validators/rewards/index/{index}': '200 400 401 403 404 429 500 501 502 503',
  'get /v1/beacon/validators/rewards/pubkey/{pubkey}': '200 400 401 403 404 429 500 501 502 503',
  'get /v1/beacon/validators/withdrawals/index/{index}': '200 400 401 403 404 429 500 501 502 503',
  'get /v1/beacon/validators/withdrawals/pubkey/{pubkey}': '200 400 401 403 404 429 500 501 502 503',
  'get /v1/beacon/validators/deposits/index/{index}': '200 400 401 403 404 429 500 501 502 503',
  'get /v1/beacon/validators/deposits/pubkey/{pubkey}': '200 400 401 403 404 429 500 501 502 503',
  'get /v1/bundles': '200 400 401 402 403 429 500 503',
  'post /v1/bundles': '201 400 401 402 403 409 413 422 429 500 503',
  'get /v1/bundles/{bundleId}': '200 400 401 402 403 404 429 500 503',
  'patch /v1/bundles/{bundleId}': '200 400 401 402 403 404 409 413 429 500 503',
  'delete /v1/bundles/{bundleId}': '204 400 401 402 403 404 429 500 503',
  'post /v1/bundles/{bundleId}/addresses': '200 400 401 402 403 404 409 413 422 429 500 503',
  'delete /v1/bundles/{bundleId}/addresses/{address}': '200 400 401 402 403 404 409 422 429 500 503',
  'get /v1/webhooks': '200 400 401 429 500 503',
  'post /v1/webhooks': '201 400 401 413 422 429 500 503',
  'patch /v1/webhooks/{webhookId}': '200 400 401 404 413 429 500 503',
  'delete /v1/webhooks/{webhookId}': '204 400 401 404 429 500 503',
  'post /v1/webhooks/{webhookId}/rotate': '200 400 401 404 413 429 500 503',
  'post /v1/webhooks/{webhookId}/test': '200 400 401 404 429 500 503',
  'get /v1/webhooks/{webhookId}/deliveries': '200 400 401 404 429 500 503',
  'post /v1/webhooks/{webhookId}/replay': '200 400 401 404 413 429 500 503',
  'get /v1/events': '200 400 401 429 500 503',
  'get /v1/watches': '200 400 401 429 500 503',
  'post /v1/watches': '201 400 401 403 413 422 429 500 501 503',
  'delete /v1/watches/{watchId}': '204 400 401 404 429 500 503',
  'get /v1/chains': '200 400 401 429 500 503',
  'get /v1/chains/{chainKey}/protocols': '200 400 401 404 429 500 503',
  'get /v1/credits': '200 400 401 429 500 503',
  'get /v1/gains/export': '200 400 401 402 403 409 429 500 503',
  'get /v1/holdings/export': '200 400 401 402 403 404 422 429 500 502 503',
  'get /v1/historical': '200 400 401 402 403 404 429 500 503',
  'get /v1/nav': '200 400 401 402 403 429 500 502 503',
  'get /v1/portfolio': '200 400 401 402 403 429 500 502 503',
  'get /v1/portfolio/at-block': '200 400 401 402 403 422 429 500 502 503',
  'get /v1/portfolio/series': '200 400 401 402 403 429 500 502 503',
  'get /v1/status': '200 400 401 429 500 503',
  'get /v1/transactions': '200 400 401 402 403 429 500 503',
  'get /v1/transactions/export': '200 400 401 402 403 429 500 503',
  'post /v1/sync-transactions': '200 400 401 402 403 413 429 500 503',
  'get /v1/token-overview': '200 400 401 402 404 429 500 503',
  'post /v1/subscribe-snapshot': '200 400 401 402 403 413 429 500 503',
  'get /v1/virtual-users': '200 400 401 402 403 429 500 503',
  'get /v1/virtual-users/portfolio': '200 400 401 402 403 429 500 502 503',
  'get /v1/wallet': '200 400 401 402 403 429 500 502 503',
}

const service = await started(startService({ endpoints: { ethereum: ['http://127.0.0.1:9'] } }))
const document = (await service.get('/openapi.json', {})).json() as Document

test('the served document is OpenAPI 3.1', async () => {
  expect(await lintOpenApi(document)).toEqual([])
  expect(document).toMatchObject({ openapi: '3.1.1', info: { title: 'Coffer', version: '1.0.0' } })
})

test('it lists every code of address book and bundles, one that nothing raises among them', () => {
  const answered = document.paths['/v1/bundles/{bundleId}']?.['get']?.responses ?? {}
  expect(answered['404']).toMatchObject({
    content: { 'application/json': { schema: { $ref: '#/components/schemas/CodedNotFound' } } },
  })
  const schemas = Object.entries(document.components.schemas).filter(([name]) => name.startsWith('Coded'))
  const listed = [...JSON.stringify(schemas).matchAll(/"([A-Z]+(?:_[A-Z]+)+)"/g)].map(([, code]) => code)
  expect(listed).toEqual(
    expect.arrayContaining([
      ...['VALIDATION_ERROR', 'ADDRESSBOOK_ENTRY_NOT_FOUND', 'ADDRESSBOOK_ENTRY_NOT_DELETABLE'],
      ...['ADDRESSBOOK_QUOTA_REACHED', 'BUNDLE_NOT_FOUND', 'BUNDLE_NAME_TAKEN', 'BUNDLE_MEMBERS_ALREADY_BUNDLED'],
      ...['BUNDLE_QUOTA_REACHED', 'BUNDLE_SIZE_LIMIT_EXCEEDED', 'BUNDLE_EMPTY', 'BUNDLE_ADDRESS_NOT_IN_ADDRESS_BOOK'],
      ...['DELEGATE_NOT_FOUND', 'INTERNAL_ERROR'],
    ]),
  )
})

test('it lists every route with every status it can answer', () => {
  const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => [`${method} ${path}`, Object.keys(responses).join(' ')]),
  )
  expect(listed).toHaveLength(Object.keys(endpoints).length + 1)
  expect(Object.fromEntries(listed)).toEqual(ANSWERS)
})

test('schemas of answers are open: answers may gain fields', () => {
  const { schemas } = document.components
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const reached = new Set<string>()
  const visit = (node: unknown) => {
    const text = JSON.stringify(node)
    expect(text).not.toContain('"additionalProperties":false')
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (reached.has(name)) continue
      reached.add(name)
      visit(schemas[name])
    }
  }
  visit(operations.map(({ responses }) => responses))
  expect([...reached]).toEqual(expect.arrayContaining(['Portfolio', 'PortfolioAsset', 'CodedNotFound']))
})
