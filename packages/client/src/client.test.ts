import { addressList, booleanQuery, defineEndpoints, text } from '@coffer/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createCalls, createClient } from './client.ts'
import { type CofferError, ConnectionError, UnexpectedAnswerError } from './coffer-error.ts'

const shared = { tag: 'T', summary: 'S', cost: 1, bucket: 'default', requires: 'key', errors: 'titled' } as const
const table = defineEndpoints({
  read: {
    ...shared,
    method: 'GET',
    path: '/v1/read/:kind',
    status: 200,
    params: z.object({ kind: text({ max: 20 }) }),
    query: z.object({ addresses: addressList({ accepts: ['evm'], max: 2 }), waitForSync: booleanQuery(false) }),
    response: z.object({ total: z.string() }),
  },
  list: {
    ...shared,
    method: 'GET',
    path: '/v1/list',
    status: 200,
    query: z.object({ waitForSync: booleanQuery(false) }),
    response: z.array(z.string()),
  },
  write: {
    ...shared,
    method: 'POST',
    path: '/v1/write',
    status: 201,
    body: z.object({ label: text({ max: 5 }) }),
    response: z.undefined(),
  },
  file: { ...shared, method: 'GET', path: '/v1/file', status: 200, streams: ['text/csv'], response: z.string() },
})

function server(status: number, body: string | null, headers: Record<string, string> = {}) {
  const requests: { url: string; method?: string; headers?: unknown; body?: unknown }[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    requests.push({ url: String(url), ...(init as object) })
    return new Response(body, { status, headers })
  }
  return { requests, calls: createCalls(table, { baseUrl: 'http://x.example/base/', apiKey: 'k', fetch, retries: 0 }) }
}

test('a call is spelled as the table says', async () => {
  const { calls, requests } = server(200, '{"total":"1.5"}')
  const { total } = await calls.read({
    params: { kind: 'a/b' },
    query: { addresses: ['0x1', '0x2'], waitForSync: true },
  })
  expect(total).toBe('1.5')
  expect(requests).toEqual([
    {
      url: 'http://x.example/base/v1/read/a%2Fb?addresses=0x1%2C0x2&waitForSync=true',
      method: 'GET',
      headers: { authorization: 'Bearer k' },
    },
  ])
})

test('a caller that asks for the headers of an answer gets them', async () => {
  const { calls } = server(200, '[]', { 'x-data-complete': 'false' })
  let complete: string | null = null
  const onHeaders = (headers: Headers) => {
    complete = headers.get('x-data-complete')
  }
  expect(await calls.list({}, { onHeaders })).toEqual([])
  expect(complete).toBe('false')
})

test('a file comes as a stream, a failure of it as any other', async () => {
  const stream = await server(200, 'a,b\r\n').calls.file()
  expect(await new Response(stream).text()).toBe('a,b\r\n')
  const refused = await server(402, '{"message":"no"}')
    .calls.file()
    .catch((error: CofferError) => error)
  expect(refused).toMatchObject({ name: 'CofferError', status: 402, message: '402: no' })
})

test('a body is sent as JSON; no body comes back as undefined', async () => {
  const { calls, requests } = server(201, null)
  expect(await calls.write({ body: { label: 'a' } })).toBeUndefined()
  expect(requests[0]).toMatchObject({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"label":"a"}',
  })
})

test('what is optional may be left out, what is not does not compile', async () => {
  const { calls } = server(200, '[]')
  expect(await calls.list()).toEqual([])
  expect(await calls.list({ query: { waitForSync: 'true' } })).toEqual([])
  // @ts-expect-error the addresses are required
  await calls.read({ params: { kind: 'a' } })
  // @ts-expect-error the body is required
  await calls.write()
  // @ts-expect-error no such field
  await calls.write({ body: { label: 'a', labl: 'b' } })
})

test.each([
  [{ error: { code: 'BUNDLE_NOT_FOUND', message: 'gone' } }, '404: gone', 'BUNDLE_NOT_FOUND'],
  [{ error: 'Not Found', message: 'gone' }, '404: gone', undefined],
  [{ error: 'Validation Failed', details: { message: 'bad page' } }, '404: bad page', undefined],
  [{ error: 'bad index' }, '404: bad index', undefined],
])('a failure is reported in any envelope: %j', async (body, message, code) => {
  const { calls } = server(404, JSON.stringify(body), { 'x-request-id': 'r1', 'retry-after': '7' })
  const thrown = await calls.list().catch((error: CofferError) => error)
  expect(thrown).toMatchObject({
    name: 'CofferError',
    status: 404,
    body,
    message,
    code,
    requestId: 'r1',
    retryAfterSeconds: 7,
  })
})

test('a failure in plain text is passed on unchanged', async () => {
  const { calls } = server(502, 'node away')
  await expect(calls.list()).rejects.toMatchObject({ status: 502, body: 'node away', message: '502: node away' })
})

test('the service’s own client has every endpoint', async () => {
  const fetch: typeof globalThis.fetch = async () => new Response('19033', { status: 200 })
  const client = createClient({ baseUrl: 'http://x.example', apiKey: 'k', fetch })
  expect(await client.getCredits()).toBe(19033)
})

test('a page that a proxy puts in the place of the answer is no answer', async () => {
  const { calls } = server(200, '<html>')
  await expect(calls.list()).rejects.toThrow(UnexpectedAnswerError)
  await expect(calls.list()).rejects.toMatchObject({ body: '<html>' })
})

test('answers are checked where schemas are given, and only there', async () => {
  const fetch: typeof globalThis.fetch = async () => new Response('{"total":1.5}')
  const request = { params: { kind: 'a' }, query: { addresses: ['0x1'] } }
  const options = { baseUrl: 'http://x.example', apiKey: 'k', fetch }
  expect(await createCalls(table, options).read(request)).toEqual({ total: 1.5 })
  const checked = createCalls(table, { ...options, schemas: table }).read(request)
  await expect(checked).rejects.toThrow(/^The answer breaks the contract at total: Invalid input: expected string/)
})

test('an unreachable service is named by its origin, without the rest of its URL', async () => {
  const cause = new TypeError('fetch failed')
  const fetch = () => Promise.reject(cause)
  const calls = createCalls(table, { baseUrl: 'http://u:secret@x.example/base', apiKey: 'k', fetch, retries: 0 })
  const thrown = await calls.list().catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(ConnectionError)
  expect(thrown).toMatchObject({ message: 'No answer came from http://x.example', cause })
})
