import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { addressOf, reactTo, request } from './request.ts'

const prove = vi.fn(async () => true)
const signedOut = vi.fn()
let answers: Response[] = []
const asked: string[] = []

const problem = (status: number, body: object) => Response.json({ type: 'about:blank', status, ...body }, { status })

beforeEach(() => {
  asked.length = 0
  prove.mockClear()
  signedOut.mockClear()
  reactTo({ prove, signedOut })
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    asked.push(`${init.method ?? 'GET'} ${address}`)
    return answers.shift() ?? Promise.reject(new TypeError('refused'))
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('fills paths, joins lists and leaves out what is undefined', () => {
  const parts = { params: { account: 1, id: 'a/b' }, query: { addresses: ['0xa', '0xb'], page: undefined, all: true } }
  expect(addressOf('/accounts/:account/keys/:id', parts)).toBe(
    '/portal/api/accounts/1/keys/a%2Fb?addresses=0xa,0xb&all=true',
  )
})

test('numbers of /v1 keep their digits, those of the portal are numbers', async () => {
  answers = [new Response('{"nav":0.1234567890123456789}'), new Response('{"passkeys":2}')]
  expect(await request('GET', '/accounts/1/v1/nav')).toEqual({ nav: '0.1234567890123456789' })
  expect(await request('GET', '/session')).toEqual({ passkeys: 2 })
})

test('the headers of a success are passed on, those of a failure are not', async () => {
  const reported: (string | null)[] = []
  const onHeaders = (headers: Headers) => void reported.push(headers.get('x-data-complete'))
  answers = [
    Response.json({}, { headers: { 'x-data-complete': 'false' } }),
    problem(502, { code: 'UPSTREAM_UNAVAILABLE' }),
  ]
  await request('GET', '/x', { onHeaders })
  await expect(request('GET', '/x', { onHeaders })).rejects.toMatchObject({ status: 502 })
  expect(reported).toEqual(['false'])
})

test('a proof is asked for once and the call repeated', async () => {
  answers = [problem(403, { code: 'PROOF_REQUIRED' }), Response.json({ id: '7' })]
  expect(await request('POST', '/accounts/1/keys', { body: {} })).toEqual({ id: '7' })
  expect(asked).toEqual(['POST /portal/api/accounts/1/keys', 'POST /portal/api/accounts/1/keys'])
  expect(prove).toHaveBeenCalledTimes(1)
})

test('without a proof the refusal stands', async () => {
  prove.mockResolvedValueOnce(false)
  answers = [problem(403, { code: 'PROOF_REQUIRED', detail: 'Prove who you are.' })]
  await expect(request('DELETE', '/x')).rejects.toMatchObject({ code: 'PROOF_REQUIRED', message: 'Prove who you are.' })
  expect(asked).toHaveLength(1)
})

test('a session that is over leads to sign-in, a wrong password does not', async () => {
  answers = [problem(401, { code: 'UNAUTHORIZED' }), problem(401, { code: 'UNAUTHORIZED', needsCode: true })]
  await expect(request('GET', '/session')).rejects.toMatchObject({ status: 401 })
  expect(signedOut).toHaveBeenCalledTimes(1)
  const wrong = request('POST', '/sign-in/password', { anonymous: true })
  await expect(wrong).rejects.toMatchObject({ status: 401, extras: { needsCode: true } })
  expect(signedOut).toHaveBeenCalledTimes(1)
})

test('a read waits until the service answers again, and is repeated', async () => {
  vi.useFakeTimers()
  const read = request('GET', '/session')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(asked).toEqual(['GET /portal/api/session', 'GET /', 'GET /', 'GET /'])
  answers = [new Response('<html>'), Response.json({ id: '7' })]
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await read).toEqual({ id: '7' })
})

test('a write is not repeated, and a read fails where the service answers other requests', async () => {
  vi.useFakeTimers()
  await expect(request('POST', '/x')).rejects.toMatchObject({ code: 'UNREACHABLE', status: 0 })
  answers = [new Response('<html>')]
  await vi.advanceTimersByTimeAsync(2_000)
  expect(asked).toEqual(['POST /portal/api/x', 'GET /', 'GET /'])
  answers = [new Response('<html>', { status: 502 }), new Response('<html>')]
  await expect(request('GET', '/x')).rejects.toMatchObject({ code: 'HTTP_502', message: 'HTTP 502' })
})

const limited = (retryAfterSeconds: number) => problem(429, { code: 'RATE_LIMITED', retryAfterSeconds })

test('a read waits for a rate limit to end; a write, and a read that would wait for hours, fail', async () => {
  vi.useFakeTimers()
  answers = [limited(40), limited(40), Response.json([])]
  const read = request('GET', '/accounts/1/keys')
  await vi.advanceTimersByTimeAsync(79_999)
  expect(asked).toHaveLength(2)
  await vi.advanceTimersByTimeAsync(1)
  expect(await read).toEqual([])
  answers = [limited(3_600), limited(1)]
  await expect(request('GET', '/x')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  await expect(request('POST', '/x')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
})
