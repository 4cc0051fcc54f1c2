import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { defineEndpoints, Failure } from '@coffer/contract'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { sampleEndpoints, sampleHandlers } from '../../test/conformance/sample-table.ts'
import { memoryApp } from '../../test/memory-app.ts'
import { createMemoryGates, type MemoryAccount } from '../../test/memory-gates.ts'
import { UpstreamError } from '../lib/upstream-error.ts'
import type { AppOptions } from './app.ts'
import type { Caller } from './gates.ts'
import { createAdminApp } from './health-app.ts'
import type { Handlers } from './mount.ts'
import { shutDown } from './shutdown.ts'

const open = { method: 'GET', tag: 'T', summary: 'S', status: 200, bucket: 'default', requires: 'key' } as const

const table = defineEndpoints({
  ...sampleEndpoints,
  titled: { ...sampleEndpoints.titled, failures: [502], response: z.object({ read: z.array(z.string()) }) },
  detailed: { ...sampleEndpoints.detailed, failures: [404] },
  message: { ...sampleEndpoints.message, requires: 'key' },
  plain: { ...sampleEndpoints.plain, cost: 1, response: z.null() },
  create: {
    ...sampleEndpoints.create,
    cost: (request: { body: { names: string[] } }) => request.body.names.length,
    response: z.object({ names: z.array(z.string()) }),
  },
  balance: { ...open, path: '/v1/balance', cost: 0, errors: 'titled', essential: true, response: z.number() },
  said: {
    ...open,
    path: '/v1/said',
    cost: 0,
    errors: 'titled',
    produces: 'text/plain',
    headers: { 'Cache-Control': 'max-age=86400' },
    response: z.string(),
  },
})

const ADDRESS = '0x00000000000000000000000000000000000000aa'

async function harness({
  account,
  handlers,
  ...options
}: Partial<Omit<AppOptions<typeof table>, 'handlers'>> & {
  account?: MemoryAccount
  handlers?: Partial<Handlers<typeof table>>
} = {}) {
  const memory = await memoryApp({
    endpoints: table,
    ...options,
    handlers: {
      ...sampleHandlers,
      detailed: ({ query }) => query,
      message: () => null,
      titled: async ({ query }) => ({ read: query.addresses }),
      plain: ({ params }) => ({
        body: null,
        headers: { 'x-data-complete': params.index === 0 ? ('true' as const) : ('false' as const) },
      }),
      create: async ({ body }) => body,
      balance: () => 19033,
      said: () => 'It is done',
      ...handlers,
    },
  })
  const key = memory.addAccount('caller', { entitlements: ['portfolio', 'beacon'], credits: 5, ...account })
  type Call = {
    method?: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'HEAD' | 'OPTIONS'
    headers?: Record<string, string>
    payload?: string
  }
  async function call(url: string, { method = 'GET', headers = {}, payload }: Call = {}) {
    const response = await memory.app.inject({
      method,
      url,
      headers: { ...key, ...headers },
      ...(payload !== undefined && { payload }),
    })
    const type = String(response.headers['content-type'] ?? '')
    return {
      status: response.statusCode,
      headers: response.headers,
      body: type.includes('json') && response.body !== '' ? response.json() : response.body,
    }
  }
  return { ...memory, call, authorization: key, money: () => memory.moneyOf('caller') }
}

const JSON_BODY = { 'content-type': 'application/json' }
const POST = { method: 'POST', headers: JSON_BODY } as const

describe('a request that succeeds', () => {
  test('is charged, and says so in its headers', async () => {
    const { call, money } = await harness()
    const { status, headers, body } = await call(`/v1/titled?addresses=${ADDRESS.toUpperCase().replace('X', 'x')}`)
    expect([status, body]).toEqual([200, { read: [ADDRESS] }])
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-ratelimit-limit': '360',
      'x-ratelimit-remaining': '359',
      'x-request-id': expect.stringMatching(/^\S+-1$/),
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.stringContaining('X-RateLimit-Reset'),
    })
    expect(money()).toEqual({ available: 4, held: 0, posted: 1, openHolds: 0 })
  })

  test('answers 204 without a body, a bare number, a text with its quotation marks, and headers of its own', async () => {
    const { call } = await harness()
    expect(await call('/v1/things/a', { method: 'DELETE', headers: JSON_BODY })).toMatchObject({
      status: 204,
      body: '',
    })
    expect((await call('/v1/balance')).body).toBe(19033)
    const said = await call('/v1/said')
    expect(said.body).toBe('"It is done"')
    expect(said.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'max-age=86400',
    })
  })

  test.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
  ] as const)('compresses JSON over 1 kB for a client that accepts %s', async (accepted, encoding, unfold) => {
    const read = Array.from({ length: 100 }, (_, i) => `0x${String(i).padStart(40, '0')}`)
    const { service, authorization } = await harness({ handlers: { titled: () => ({ read }) } })
    const url = `/v1/titled?addresses=${ADDRESS}`
    const headers = { ...authorization, 'accept-encoding': accepted }
    const response = await service.app.inject({ url, headers })
    expect(response.headers['content-encoding']).toBe(encoding)
    expect(response.headers).toMatchObject({
      vary: 'Accept-Encoding',
      'content-length': String(response.rawPayload.length),
    })
    expect(JSON.parse(unfold(response.rawPayload).toString())).toEqual({ read })
    if (encoding) expect(response.rawPayload.length).toBeLessThan(1_000)
    const small = await harness()
    const { headers: plain } = await small.call(url, { headers: { 'accept-encoding': accepted } })
    expect([plain['content-encoding'], plain['vary']]).toEqual([undefined, undefined])
  })

  test('has the headers that the work gave it', async () => {
    const { call } = await harness()
    expect(await call('/v1/plain/0')).toMatchObject({ status: 200, headers: { 'x-data-complete': 'true' }, body: null })
    expect(await call('/v1/plain/1')).toMatchObject({
      status: 200,
      headers: { 'x-data-complete': 'false' },
      body: null,
    })
  })

  test('says what a body is to be where there is none, and where its parts are of another type', async () => {
    const { call } = await harness()
    for (const [payload, says] of [
      ['null', 'body: must be a JSON object'],
      ['{}', 'names: must be a list'],
      ['{"names":["a",1]}', 'names.1: must be text'],
    ] as const) {
      const answer = await call('/v1/things', { ...POST, payload })
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR', message: says } } })
    }
  })

  test('takes names in other spellings, and says which mean nothing', async () => {
    const { call } = await harness()
    const taken = await call('/v1/chains/base/detailed?Page=2&LI-MIT=3')
    expect([taken.status, taken.body]).toEqual([200, { page: 2, limit: 3 }])
    expect(taken.headers).not.toHaveProperty('x-ignored-parameters')
    for (const [search, status] of [
      ['first=1&page=2&to%0Ap=3', 200],
      ['first=1&page=x&to%0Ap=3', 400],
    ] as const) {
      const answer = await call(`/v1/chains/base/detailed?${search}`)
      expect([answer.status, answer.headers['x-ignored-parameters']]).toEqual([status, 'first, to%0Ap'])
    }
    expect((await call('/v1/plain/0?a=1')).headers).toMatchObject({
      'x-data-complete': 'true',
      'x-ignored-parameters': 'a',
    })
  })

  test('costs what the parsed request says', async () => {
    const { call, money } = await harness()
    expect(await call('/v1/things', { ...POST, payload: '{"names":["a","b","c"],"more":1}' })).toMatchObject({
      status: 201,
      body: { names: ['a', 'b', 'c'] },
    })
    expect(money().posted).toBe(3)
  })

  test('sends bytes that a handler has already written as they are', async () => {
    const { call } = await harness({ handlers: { balance: () => Buffer.from('1.50') } })
    const { headers, body } = await call('/v1/balance')
    expect([headers['content-type'], body]).toEqual(['application/json; charset=utf-8', 1.5])
  })
})

describe('the order of refusals', () => {
  // This request has every error. Each step fixes the first refused one.
  test('401, 429, 503, 403, 400, 404 of the handler’s first step, 402', async () => {
    const handlers: Partial<Handlers<typeof table>> = {
      titled: {
        prepare: ({ query }) => {
          if (query.addresses.includes(ADDRESS)) throw new Failure('NOT_FOUND', 'No such wallet')
        },
        handle: () => ({ read: [] }),
      },
    }
    const { call, addAccount } = await harness({ handlers, loadLimits: { workPerKey: 0 } })
    const bad = '/v1/titled?addresses=zzz'
    expect(await call(bad, { headers: { authorization: 'Bearer nobody' } })).toMatchObject({ status: 401 })
    const spent = addAccount('spent', { credits: 0, rateLimits: { portfolio: 0 } })
    expect(await call(bad, { headers: spent })).toMatchObject({ status: 429 })
    const busy = addAccount('busy', { credits: 0 })
    expect(await call(bad, { headers: busy })).toMatchObject({ status: 503 })

    const { call: later, addAccount: add } = await harness({ handlers })
    expect(await later(bad, { headers: add('plain', { credits: 0 }) })).toMatchObject({ status: 403 })
    const poor = add('poor', { credits: 0, entitlements: ['portfolio'] })
    expect(await later(bad, { headers: poor })).toMatchObject({ status: 400 })
    expect(await later(`/v1/titled?addresses=${ADDRESS}`, { headers: poor })).toMatchObject({ status: 404 })
    expect(await later(`/v1/titled?addresses=${ADDRESS.replace('aa', 'bb')}`, { headers: poor })).toMatchObject({
      status: 402,
    })
  })

  test('a body that cannot be read takes its turn after the key', async () => {
    const { call, addAccount } = await harness()
    const nobody = { ...JSON_BODY, authorization: 'Bearer nobody' }
    expect(await call('/v1/things', { method: 'POST', headers: nobody, payload: '{' })).toMatchObject({ status: 401 })
    const plain = { ...JSON_BODY, ...addAccount('plain') }
    expect(await call('/v1/things', { method: 'POST', headers: plain, payload: '{' })).toMatchObject({ status: 403 })
    expect(await call('/v1/things', { ...POST, payload: '{' })).toMatchObject({ status: 400 })
  })
})

describe('bodies', () => {
  const VALIDATION = { status: 400, body: { error: { code: 'VALIDATION_ERROR', message: expect.any(String) } } }
  test.each([
    ['deep nesting that is whole', `{"names":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'application/json'],
    ['NUL', '{"names":["a\\u0000"]}', 'application/json'],
    ['a lone surrogate', '{"names":["\\ud800"]}', 'application/json'],
    ['a polluted prototype', '{"__proto__":{"names":["a"]}}', 'application/json'],
    ['a type that is none', '{"names":["a"]}', ';;;'],
  ])('%s: 400 in the envelope, nothing charged', async (_, payload, type) => {
    const { call, money } = await harness()
    const headers = { 'content-type': type }
    expect(await call('/v1/things', { method: 'POST', headers, payload })).toMatchObject(VALIDATION)
    expect(money()).toMatchObject({ available: 5, posted: 0 })
  })

  test('over 256 KiB: 413 in the envelope; exactly 256 KiB is read', async () => {
    const { call } = await harness()
    const sized = (bytes: number) => `{"names":["a"],"x":"${'y'.repeat(bytes - 22)}"}`
    expect(sized(100)).toHaveLength(100)
    expect(await call('/v1/things', { ...POST, payload: sized(256 * 1024) })).toMatchObject({ status: 201 })
    expect(await call('/v1/things', { ...POST, payload: sized(256 * 1024 + 1) })).toMatchObject({
      status: 413,
      body: { error: { code: 'VALIDATION_ERROR' } },
      headers: { 'x-ratelimit-limit': '360' },
    })
  })
})

describe('the five spellings', () => {
  const fails = (thrown: unknown) => () => {
    throw thrown
  }
  const upstream = new UpstreamError('unavailable', 'http://node.example/secret said no')
  const bug = new TypeError('secret detail')
  const all = (thrown: unknown): Partial<Handlers<typeof table>> => ({
    titled: fails(thrown),
    detailed: fails(thrown),
    message: fails(thrown),
    plain: fails(thrown),
    remove: fails(thrown),
  })
  const urls = {
    titled: `/v1/titled?addresses=${ADDRESS}`,
    detailed: '/v1/chains/x/detailed',
    message: '/v1/message',
    plain: '/v1/plain/1',
  }

  test('of what is not found', async () => {
    const { call } = await harness({ handlers: all(new Failure('NOT_FOUND', 'gone')) })
    expect((await call(urls.titled)).body).toEqual({ error: 'Not Found', message: 'gone' })
    expect((await call(urls.detailed)).body).toEqual({ message: 'gone' })
    expect((await call(urls.message)).body).toEqual({ message: 'gone' })
    expect((await call(urls.plain)).body).toEqual({ error: 'gone' })
    expect((await call('/v1/things/a', { method: 'DELETE' })).body).toEqual({
      error: { code: 'NOT_FOUND', message: 'gone' },
    })
  })

  test('of a source that failed: 502, given back, and not a word of the source', async () => {
    const { call, money, lines } = await harness({ handlers: all(upstream) })
    const message = expect.stringMatching(/^A source/)
    expect(await call(urls.titled)).toMatchObject({ status: 502, body: { error: 'Bad Gateway', message } })
    expect(await call(urls.message)).toMatchObject({ status: 502, body: { message } })
    expect(await call(urls.plain)).toMatchObject({
      status: 502,
      body: message,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    })
    expect(money()).toEqual({ available: 5, held: 0, posted: 0, openHolds: 0 })
    expect(lines.join('')).not.toContain('secret')
    expect(lines.join('')).toContain('node.example')
  })

  test('of a bug: 500, given back, the detail in the log alone', async () => {
    const { call, money, lines } = await harness({ handlers: all(bug) })
    const message = 'Something went wrong on our side'
    for (const url of Object.values(urls)) {
      expect(await call(url)).toMatchObject({ status: 500, body: { error: 'Internal Server Error', message } })
    }
    expect(await call('/v1/things/a', { method: 'DELETE' })).toMatchObject({
      status: 500,
      body: { error: { code: 'INTERNAL_ERROR', message } },
    })
    expect(money()).toEqual({ available: 5, held: 0, posted: 0, openHolds: 0 })
    expect(lines.join('')).toContain('secret detail')
  })

  test('of input', async () => {
    const { call } = await harness()
    expect((await call('/v1/titled')).body).toEqual({
      error: 'Bad Request',
      message: expect.stringContaining('addresses'),
    })
    expect((await call('/v1/titled?addresses=TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')).body).toEqual({
      error: 'Bad Request',
      message: expect.stringContaining('Solana'),
    })
    expect((await call('/v1/chains/x/detailed?limit=101')).body).toEqual({
      error: 'Validation Failed',
      details: { message: expect.stringContaining('limit') },
    })
    for (const index of ['01', '%zz']) {
      expect((await call(`/v1/plain/${index}`)).body).toEqual({ error: expect.stringContaining('index') })
    }
  })

  test('of a missing key, plan or entitlement', async () => {
    const { call, addAccount } = await harness()
    const nobody = { headers: { authorization: '' } }
    const flat = { error: 'Unauthorized', message: 'Unauthorized' }
    const refused = await call('/v1/message', nobody)
    expect(refused).toMatchObject({
      status: 401,
      body: flat,
      headers: { 'www-authenticate': 'Bearer', 'x-ratelimit-limit': '60' },
    })
    expect(await call('/v1/things/a', { method: 'DELETE', ...nobody })).toMatchObject({
      status: 401,
      body: { error: { code: 'UNAUTHORIZED', message: 'Unauthorized' }, message: 'Unauthorized' },
    })
    expect(await call('/v1/overview')).toMatchObject({ status: 401, body: flat })
    const free = { headers: addAccount('free') }
    expect(await call(urls.plain, free)).toMatchObject({ status: 403, body: { error: expect.any(String) } })
    expect((await call(urls.titled, free)).body).toEqual({ error: 'Forbidden', message: expect.any(String) })
    expect((await call('/v1/things/a', { method: 'DELETE', ...free })).body).toEqual({
      error: 'Forbidden',
      message: expect.any(String),
    })
    expect(await call(urls.titled, { headers: addAccount('pro', { plan: 'PRO' }) })).toMatchObject({ status: 200 })
    expect(await call(urls.titled, { headers: addAccount('lite', { plan: 'LITE' }) })).toMatchObject({ status: 403 })
  })

  test('of too few credits and too many requests, flat on every route', async () => {
    const { call, addAccount } = await harness()
    const poor = addAccount('poor', { entitlements: ['portfolio', 'beacon'], credits: 2 })
    const headers = { ...JSON_BODY, ...poor }
    expect(await call('/v1/things', { method: 'POST', headers, payload: '{"names":["a","b","c"]}' })).toMatchObject({
      status: 402,
      body: { message: expect.any(String), creditsRequired: 3, creditsAvailable: 2, creditsNeeded: 3 },
    })
    const slow = addAccount('slow', { entitlements: ['beacon'], rateLimits: { beacon: 1 } })
    expect(await call(urls.plain, { headers: slow })).toMatchObject({
      status: 200,
      headers: { 'x-ratelimit-remaining': '0' },
    })
    expect(await call(urls.plain, { headers: slow })).toMatchObject({
      status: 429,
      body: { error: 'Too Many Requests', message: expect.any(String), retry_after: 60, retryAfter: 60 },
      headers: { 'retry-after': '60', 'x-ratelimit-remaining': '0' },
    })
  })
})

describe('what no route takes', () => {
  test('an unknown path is 404 without a key, in any spelling', async () => {
    const { call } = await harness()
    const spellings = '/v1/nothing /v1/Titled /v1/titled/ //v1/titled /v1/things// /v1/chains//detailed /%zz /v1/%ff'
    for (const url of ['/v1', ...spellings.split(' ')]) {
      expect(await call(url, { headers: { authorization: '' } }), url).toMatchObject({
        status: 404,
        body: { error: 'Not Found', message: expect.any(String) },
        headers: { 'x-ratelimit-limit': '60', 'x-request-id': expect.any(String), 'access-control-allow-origin': '*' },
      })
    }
    expect(
      await call('/v1/nothing', { method: 'POST', headers: { 'content-type': 'text/plain' }, payload: 'x' }),
    ).toMatchObject({ status: 404 })
  })

  test('HEAD is answered as GET, without the body, and charged alike', async () => {
    const { call, money } = await harness()
    for (const path of [`/v1/titled?addresses=${ADDRESS}`, '/v1/said', '/openapi.json', '/v1/titled', '/v1/unknown']) {
      const [got, head] = [await call(path), await call(path, { method: 'HEAD' })]
      expect([path, head.status, head.body]).toEqual([path, got.status, ''])
      expect(head.headers['content-type']).toBe(got.headers['content-type'])
      expect(head.headers['content-length']).toBe(got.headers['content-length'])
    }
    expect(money()).toMatchObject({ posted: 2 })
  })

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('a body in %s is 400 and costs nothing', async (encoding, compress) => {
    const { service, authorization, money } = await harness()
    const response = await service.app.inject({
      ...{ method: 'POST', url: '/v1/things', payload: compress(JSON.stringify({ names: ['a'] })) },
      headers: { ...authorization, ...JSON_BODY, 'content-encoding': encoding },
    })
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({ error: { code: 'VALIDATION_ERROR', message: expect.any(String) } })
    expect(money()).toMatchObject({ posted: 0 })
  })

  test('another method is 405 with Allow', async () => {
    const { call } = await harness()
    expect(await call('/v1/things/x', { method: 'PUT' })).toMatchObject({
      status: 405,
      body: { error: 'Method Not Allowed', message: expect.any(String) },
      headers: { allow: 'DELETE, OPTIONS', 'x-ratelimit-limit': '60' },
    })
    expect(await call('/v1/titled', { method: 'PUT' })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, OPTIONS' },
    })
    expect(await call('/openapi.json', { method: 'POST' })).toMatchObject({ status: 405 })
  })

  test('a preflight is 204', async () => {
    const { call } = await harness()
    const headers = { origin: 'https://page.example', 'access-control-request-method': 'POST' }
    expect(await call('/v1/things', { method: 'OPTIONS', headers })).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-headers': expect.stringContaining('Authorization'),
        'access-control-allow-methods': expect.stringContaining('DELETE'),
      },
    })
  })

  test('preflights leave the window of callers without a key alone', async () => {
    const { call } = await harness()
    const before = (await call('/nowhere')).headers['x-ratelimit-remaining']
    for (let at = 0; at < 3; at += 1) await call(`/v1/things?${at}`, { method: 'OPTIONS' })
    expect((await call('/nowhere')).headers['x-ratelimit-remaining']).toBe(String(Number(before) - 1))
  })

  test('only listed origins may call where they are configured', async () => {
    const { call } = await harness({ corsOrigins: ['https://ours.example'] })
    const from = async (origin: string) => (await call('/v1/balance', { headers: { origin } })).headers
    expect(await from('https://ours.example')).toMatchObject({
      'access-control-allow-origin': 'https://ours.example',
      vary: 'Origin',
    })
    expect(await from('https://other.example')).not.toHaveProperty('access-control-allow-origin')
  })
})

test('61 requests of an address without a key: the last is 429', async () => {
  const { call } = await harness()
  const nobody = { headers: { authorization: 'Bearer nobody' } }
  for (let n = 1; n <= 60; n++) {
    expect(await call('/v1/balance', nobody)).toMatchObject({
      status: 401,
      headers: { 'x-ratelimit-remaining': String(60 - n) },
    })
  }
  expect(await call('/v1/balance', nobody)).toMatchObject({ status: 429, headers: { 'x-ratelimit-remaining': '0' } })
  expect(await call('/v1/balance')).toMatchObject({ status: 200 })
})

describe('money', () => {
  test('an answer in memory is charged at once, without a hold; at balance 0 it is 402', async () => {
    const seen: number[] = []
    const { call, money } = await harness({
      account: { credits: 1 },
      handlers: {
        message: {
          fresh: () => {
            seen.push(money().openHolds)
            return null
          },
          handle: () => {
            throw new Error('not reached')
          },
        },
      },
    })
    expect(await call('/v1/message')).toMatchObject({ status: 200, body: null })
    expect(money()).toEqual({ available: 0, held: 0, posted: 1, openHolds: 0 })
    expect(await call('/v1/message')).toMatchObject({ status: 402 })
    expect(seen).toEqual([0, 0])
  })

  test('50 at once at balance 1: one is served, 49 are refused; with a failing handler the credit is back', async () => {
    const served = await harness({ account: { credits: 1 } })
    const answers = await Promise.all(Array.from({ length: 50 }, () => served.call('/v1/message')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(49)
    expect(served.money()).toEqual({ available: 0, held: 0, posted: 1, openHolds: 0 })
    const failing = await harness({
      account: { credits: 1 },
      handlers: { message: async () => Promise.reject(new Error('bug')) },
    })
    await Promise.all(Array.from({ length: 50 }, () => failing.call('/v1/message')))
    expect(failing.money()).toEqual({ available: 1, held: 0, posted: 0, openHolds: 0 })
  })

  test('work that takes too long is 503 and given back', async () => {
    const { call, money } = await harness({ requestLimitMs: 1, handlers: { message: () => new Promise(() => {}) } })
    expect(await call('/v1/message')).toMatchObject({
      status: 503,
      body: { message: expect.any(String) },
      headers: { 'retry-after': '1' },
    })
    expect(money()).toEqual({ available: 5, held: 0, posted: 0, openHolds: 0 })
  })

  test('a gate that does not answer keeps no request beyond its limit, and what it took late is given back', async () => {
    for (const [gate, path] of [
      ['authenticate', '/v1/message'],
      ['limit', '/v1/message'],
      ['charge', '/v1/message'],
      ['hold', '/v1/plain/1'],
    ] as const) {
      const opened = Promise.withResolvers<void>()
      const { gates, addAccount, moneyOf } = createMemoryGates()
      const caller = addAccount('caller', { credits: 5, entitlements: ['beacon'] })
      const { call, service } = await harness({
        gates: {
          ...gates,
          [gate]: async (...args: never[]) => {
            await opened.promise
            return (gates[gate] as (...args: never[]) => unknown)(...args)
          },
        },
        handlers: { message: { fresh: () => null, handle: () => null } },
        requestLimitMs: 1,
      })
      expect([gate, (await call(path, { headers: caller })).status]).toEqual([gate, 503])
      expect(service.load.inFlight()).toBe(0)
      opened.resolve()
      await expect.poll(() => moneyOf('caller')).toEqual({ available: 5, held: 0, posted: 0, openHolds: 0 })
    }
  })

  test('credits that are posted or given back too late keep no answer waiting, and are given back', async () => {
    const opened = Promise.withResolvers<void>()
    const { gates, addAccount, moneyOf } = createMemoryGates()
    const caller = addAccount('caller', { credits: 5 })
    const { call } = await harness({
      gates: {
        ...gates,
        async hold(...charge) {
          const hold = await gates.hold(...charge)
          // A ledger with late answers: the post is done, and the hold can only be returned before it.
          let posting: ReturnType<typeof hold.post> | undefined
          return {
            post: () => {
              posting = hold.post()
              return opened.promise.then(() => posting as ReturnType<typeof hold.post>)
            },
            giveBack: () => opened.promise.then(() => (posting ? undefined : hold.giveBack())),
          }
        },
      },
      handlers: { plain: () => Promise.reject(new Error('bug')) },
      account: { credits: 0 },
      requestLimitMs: 1,
    })
    expect((await call('/v1/message', { headers: caller })).status).toBe(503)
    const beacon = addAccount('beacon', { credits: 5, entitlements: ['beacon'] })
    expect((await call('/v1/plain/1', { headers: beacon })).status).toBeGreaterThanOrEqual(500)
    opened.resolve()
    for (const name of ['caller', 'beacon']) {
      await expect.poll(() => moneyOf(name)).toEqual({ available: 5, held: 0, posted: 0, openHolds: 0 })
    }
  })

  test('a database that cannot be reached is 503 with its cause in the log alone', async () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })
    const { call, lines, money } = await harness({
      handlers: { message: () => Promise.reject(refused) },
      isUnavailable: (thrown) => thrown === refused,
    })
    const { status, headers, body } = await call('/v1/message')
    expect([status, headers['retry-after'], JSON.stringify(body)]).toEqual([
      503,
      '5',
      expect.not.stringContaining('5432'),
    ])
    expect(lines.join('')).toContain('ECONNREFUSED')
    expect(money()).toMatchObject({ available: 5, posted: 0, held: 0 })
  })

  test('an answer that cannot be written is a bug, and given back', async () => {
    const circular: unknown[] = []
    circular.push(circular)
    const { call, money } = await harness({ handlers: { message: () => circular as never } })
    expect(await call('/v1/message')).toMatchObject({ status: 500 })
    expect(money()).toMatchObject({ available: 5, posted: 0 })
  })
})

test('of 50 requests of one account, whichever of its keys asks, 40 are in work, and the others cost nothing', async () => {
  const { gates, addAccount, moneyOf } = createMemoryGates()
  const released = Promise.withResolvers<void>()
  const { call } = await harness({
    gates: {
      ...gates,
      authenticate: (header) => ({ ...(gates.authenticate('Bearer one') as Caller), keyId: `${header}` }),
    },
    handlers: { message: () => released.promise.then(() => null) },
  })
  addAccount('one', { credits: 50 })
  const statuses: number[] = []
  const ask = async (path: string, authorization: string) => {
    const { status } = await call(path, { headers: { authorization } })
    statuses.push(status)
    return status
  }
  const calls = Array.from({ length: 50 }, (_, i) => ask('/v1/message', `${i}`))
  await expect.poll(() => statuses).toEqual(Array.from({ length: 10 }, () => 503))
  expect(await ask('/v1/balance', 'one more')).toBe(200)
  released.resolve()
  expect((await Promise.all(calls)).filter((status) => status === 200)).toHaveLength(40)
  expect(moneyOf('one')).toEqual({ available: 10, held: 0, posted: 40, openHolds: 0 })
  expect(await ask('/v1/message', 'one more')).toBe(200)
})

describe('load', () => {
  test('a key with 20 requests in work gets 503 for the next, other keys and essential routes do not', async () => {
    const released = Promise.withResolvers<null>()
    let started = 0
    const { call, addAccount, money } = await harness({
      account: { credits: 100 },
      handlers: {
        message: () => {
          started += 1
          return released.promise
        },
      },
    })
    const running = Array.from({ length: 20 }, () => call('/v1/message'))
    await expect.poll(() => started).toBe(20)
    expect(await call('/v1/message')).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    expect(await call('/v1/balance')).toMatchObject({ status: 200 })
    expect(await call('/v1/said', { headers: addAccount('other') })).toMatchObject({ status: 200 })
    released.resolve(null)
    for (const answer of await Promise.all(running)) expect(answer.status).toBe(200)
    expect(await call('/v1/message')).toMatchObject({ status: 200 })
    expect(money()).toMatchObject({ available: 79, held: 0, posted: 21 })
  })

  test('a late event loop sheds a second read of nodes of an account, and nothing else', async () => {
    const held = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const kept = `/v1/titled?addresses=${ADDRESS.replace('aa', 'bb')}`
    const { call, money, addAccount } = await harness({
      eventLoopDelayMs: () => 251,
      handlers: {
        titled: {
          fresh: ({ query }) => (query.addresses.includes(ADDRESS) ? undefined : { read: ['kept'] }),
          async handle() {
            begun.resolve()
            await held.promise
            return { read: ['node'] }
          },
        },
      },
    })
    const asked = `/v1/titled?addresses=${ADDRESS}`
    const only = call(asked)
    await begun.promise
    expect(await call(asked)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    const ofOther = call(asked, { headers: addAccount('other', { entitlements: ['portfolio'], credits: 5 }) })
    expect(await call(kept)).toMatchObject({ status: 200, body: { read: ['kept'] } })
    expect(await call('/v1/message')).toMatchObject({ status: 200 })
    held.resolve()
    expect(await only).toMatchObject({ status: 200, body: { read: ['node'] } })
    expect(await ofOther).toMatchObject({ status: 200, body: { read: ['node'] } })
    expect(money().posted).toBe(3)
  })
})

test('an overload is one line of the log, however many requests it refuses', async () => {
  const { call, lines, money } = await harness({ loadLimits: { inFlight: 0 } })
  for (let n = 0; n < 30; n += 1) expect(await call('/v1/message')).toMatchObject({ status: 503 })
  expect(lines.filter((line) => line.includes('request not served'))).toHaveLength(1)
  expect(money().posted).toBe(0)
})

test('requests over a rate limit wait for their refusal, and keep out no others meanwhile', async () => {
  const waits: number[] = []
  const released = Promise.withResolvers<void>()
  const wait = (ms: number) => {
    waits.push(ms)
    return released.promise
  }
  const { call, addAccount, service } = await harness({ wait, loadLimits: { inFlight: 3 } })
  const spent = addAccount('spent', { entitlements: ['portfolio'], rateLimits: { portfolio: 0 } })
  const refused = Array.from({ length: 20 }, () => call(`/v1/titled?addresses=${ADDRESS}`, { headers: spent }))
  await expect.poll(() => waits.length).toBe(20)
  expect(service.load.inFlight()).toBe(0)
  expect(await call('/v1/message')).toMatchObject({ status: 200 })
  released.resolve()
  for (const answer of await Promise.all(refused)) expect(answer).toMatchObject({ status: 429 })
  expect(service.load.inFlight()).toBe(0)
  expect(new Set(waits)).toEqual(new Set([250]))
})

describe('a shutdown', () => {
  async function running(limits: { drainLimitMs?: number }, message: () => Promise<null>) {
    const served = await harness({ handlers: { message } })
    const { service, metrics, logger } = served
    const admin = createAdminApp({ metrics, load: service.load, checkReady: async () => {}, logger })
    const port = await served.listen()
    const get = () => fetch(`http://127.0.0.1:${port}/v1/message`, { headers: { authorization: 'Bearer caller' } })
    const events: string[] = []
    const finish = async () => void events.push(`finish ${served.money().openHolds}`)
    const stop = () => shutDown(service, admin, finish, logger, limits.drainLimitMs)
    return { ...served, admin, get, events, stop }
  }

  test('lets requests in flight end, then finishes with no hold left', async () => {
    const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<null>()]
    const { get, stop, events, admin, money } = await running({}, () => {
      started.resolve()
      return released.promise
    })
    const answer = get()
    await started.promise
    expect((await admin.inject('/readyz')).statusCode).toBe(200)
    const stopped = stop()
    expect((await admin.inject('/readyz')).statusCode).toBe(503)
    expect((await admin.inject('/livez')).statusCode).toBe(200)
    released.resolve(null)
    const response = await answer
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close'])
    await stopped
    expect(events).toEqual(['finish 0'])
    expect(money()).toMatchObject({ posted: 1, held: 0 })
    await expect(get()).rejects.toThrow()
  })

  test('gives back what is not done when its patience is over', async () => {
    const started = Promise.withResolvers<void>()
    const { get, stop, events, money } = await running({ drainLimitMs: 1 }, () => {
      started.resolve()
      return new Promise(() => {})
    })
    const answer = get()
    await started.promise
    await stop()
    expect((await answer).status).toBe(503)
    expect(events).toEqual(['finish 0'])
    expect(money()).toEqual({ available: 5, held: 0, posted: 0, openHolds: 0 })
  })
})

describe('the admin listener', () => {
  test('is not ready while its check fails or hangs, and never says why', async () => {
    const { metrics, logger, service } = await harness()
    const failing = createAdminApp({
      metrics,
      load: service.load,
      logger,
      checkReady: () => Promise.reject(new Error('postgres://u:p@host')),
    })
    const response = await failing.inject('/readyz')
    expect([response.statusCode, response.json()]).toEqual([503, { status: 'not ready' }])
  })

  test('counts requests by endpoint and status', async () => {
    const { metrics, logger, service, call } = await harness()
    await call('/v1/message')
    await call('/v1/message', { headers: { authorization: '' } })
    const admin = createAdminApp({ metrics, load: service.load, logger, checkReady: async () => {} })
    const text = (await admin.inject('/metrics')).body
    expect(text).toContain('coffer_http_request_seconds_count{endpoint="message",status="200"} 1')
    expect(text).toContain('coffer_http_request_seconds_count{endpoint="message",status="401"} 1')
  })
})
