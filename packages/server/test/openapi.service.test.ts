import { endpoints } from '@coffer/contract'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type TestService } from './harness.ts'

type Document = Record<string, unknown> & {
  info: Record<string, unknown>
  paths: Record<string, Record<string, { responses: Record<string, object> }>>
}

/** By hand, from the interface: every route with all it can answer. */
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
  'get /v1/chains': '200 400 401 429 500 503',
  'get /v1/chains/{chainKey}/protocols': '200 400 401 404 429 500 503',
  'get /v1/credits': '200 400 401 429 500 503',
  'get /v1/historical': '200 400 401 402 403 404 429 500 503',
  'get /v1/nav': '200 400 401 402 403 429 500 502 503',
  'get /v1/portfolio': '200 400 401 402 403 429 500 502 503',
  'get /v1/status': '200 400 401 429 500 503',
  'get /v1/transactions': '200 400 401 402 403 429 500 503',
  'post /v1/sync-transactions': '200 400 401 402 403 413 429 500 503',
  'get /v1/token-overview': '200 400 401 402 404 429 500 503',
  'post /v1/subscribe-snapshot': '200 400 401 402 403 413 429 500 503',
  'get /v1/virtual-users': '200 400 401 402 403 429 500 503',
  'get /v1/virtual-users/portfolio': '200 400 401 402 403 429 500 502 503',
  'get /v1/wallet': '200 400 401 402 403 429 500 502 503',
}

let service: TestService
let document: Document
beforeAll(async () => {
  service = await startService({ endpoints: { ethereum: ['http://127.0.0.1:9'] } })
  document = (await service.get('/openapi.json', {})).json() as Document
})
afterAll(() => service?.stop())

async function isValid(candidate: Document): Promise<boolean> {
  return (await new Validator().validate(structuredClone(candidate))).valid
}

test('the served document is OpenAPI 3.1; spoilt in any of these ways it is not', async () => {
  expect(await isValid(document)).toBe(true)
  expect(document).toMatchObject({ openapi: '3.1.1', info: { title: 'Coffer', version: '1.0.0' } })
  const { version: _, ...unversioned } = document.info
  expect(await isValid({ ...document, info: unversioned as Document['info'] })).toBe(false)
  expect(await isValid({ ...document, openapi: '4.0' })).toBe(false)
  expect(await isValid({ ...document, paths: { 'no-slash': {} } })).toBe(false)
  const noDescription = { get: { responses: { 200: {} } } }
  expect(await isValid({ ...document, paths: { ...document.paths, '/v1/x': noDescription } })).toBe(false)
})

test('it lists every code of address book and bundles, one that nothing raises among them', () => {
  const { 404: notFound } = document.paths['/v1/bundles/{bundleId}']?.['get']?.responses ?? {}
  const listed = [...JSON.stringify(notFound).matchAll(/"([A-Z]+(?:_[A-Z]+)+)"/g)].map(([, code]) => code)
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
  expect(listed).toHaveLength(Object.keys(endpoints).length)
  expect(Object.fromEntries(listed)).toEqual(ANSWERS)
})
