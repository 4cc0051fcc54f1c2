import { connect } from 'node:net'
import type { Endpoint } from '@coffer/contract'
import { expect } from 'vitest'
import { UpstreamError } from '../../src/lib/upstream-error.ts'
import { type BadInput, badInputs, IGNORED_QUERIES, ODD_PATH_PARTS } from './bad-input.ts'
import { checkHeaders } from './checked-response.ts'
import type { Change, Examination } from './examination.ts'

/** The contract's table of access. */
const admits: Record<Endpoint['requires'], (plan: string, granted: readonly string[]) => boolean> = {
  key: () => true,
  portfolio: (plan, granted) => plan === 'PRO' || granted.includes('portfolio'),
  pro: (plan) => plan === 'PRO',
  'pro-or-unauthorized': (plan) => plan === 'PRO',
  beacon: (_, granted) => granted.includes('beacon'),
  'beacon-and-portfolio': (plan, granted) =>
    granted.includes('beacon') && (plan === 'PRO' || granted.includes('portfolio')),
}
const GRANTS = [[], ['portfolio'], ['beacon'], ['portfolio', 'beacon']] as const
const ACCOUNTS = (['FREE', 'LITE', 'PRO'] as const).flatMap((plan) => GRANTS.map((granted) => [plan, granted] as const))
const EVERYTHING = { plan: 'PRO', entitlements: ['portfolio', 'beacon'] } as const
const RICH = { ...EVERYTHING, credits: 5_000 } as const
const UNTOUCHED = { available: RICH.credits, held: 0 }
const TOO_LARGE_BYTES = 256 * 1024 + 1

function refusalOf({ requires }: Endpoint, plan: string, entitlements: readonly string[]): number | undefined {
  if (admits[requires](plan, entitlements)) return undefined
  return requires === 'pro-or-unauthorized' ? 401 : 403
}

function spoil(good: URL, { search, body, contentType }: BadInput): Change {
  const url = new URL(good)
  if (search !== undefined) url.search = search
  return contentType === undefined ? { url } : { url, body: body ?? '', headers: { 'content-type': contentType } }
}

async function succeeds({ endpoint, cost, newCaller, send }: Examination): Promise<void> {
  const caller = await newCaller(RICH)
  const { status, headers } = await send({ headers: { authorization: caller.authorization } })
  expect(status).toBe(endpoint.status)
  for (const [header, value] of Object.entries(endpoint.headers ?? {})) expect(headers.get(header)).toBe(value)
  for (const [header, values] of Object.entries(endpoint.varyingHeaders ?? {})) {
    expect(values).toContain(headers.get(header))
  }
  expect(await caller.credits()).toEqual({ available: RICH.credits - cost, held: 0 })
  if (cost === 0) expect(await caller.moves()).toBe(0)
}

async function asksForOneValidKey({ endpoint, good, newCaller, send }: Examination): Promise<void> {
  const caller = await newCaller(RICH)
  const key = caller.authorization.replace('Bearer ', '')
  const valid = `Bearer ${key}`
  const spoilt = [`${valid} x`, `${valid}x`, valid.slice(0, -1), `Bearer "${key}"`]
  const foreign = ['', 'Bearer', 'Basic dTpw', key, `Token ${key}`, `${valid}, ${valid}`, [valid, valid]]
  for (const authorization of [...spoilt, ...foreign]) {
    const { status } = await send({ headers: { authorization } })
    expect(status, String(authorization).replaceAll(key, 'KEY')).toBe(401)
  }
  expect((await send({})).status, 'no header').toBe(401)
  const url = new URL(good.url)
  url.searchParams.set('apiKey', key)
  expect((await send({ url })).status, 'a key in the query').toBe(401)
  expect(await caller.moves()).toBe(0)
  expect((await send({ headers: { authorization: `bearer ${key}` } })).status).toBe(endpoint.status)
}

async function asksForAccess({ endpoint, cost, newCaller, send }: Examination): Promise<void> {
  for (const [plan, entitlements] of ACCOUNTS) {
    const caller = await newCaller({ plan, entitlements, credits: RICH.credits })
    const { status } = await send({ headers: { authorization: caller.authorization } })
    const refusal = refusalOf(endpoint, plan, entitlements)
    expect(status, `${plan} ${entitlements}`).toBe(refusal ?? endpoint.status)
    const spent = refusal === undefined ? cost : 0
    expect(await caller.credits()).toEqual({ available: RICH.credits - spent, held: 0 })
    if (spent === 0) expect(await caller.moves()).toBe(0)
  }
}

async function limitsRequests({ endpoint, cost, newCaller, send }: Examination): Promise<void> {
  const caller = await newCaller({ ...RICH, rateLimits: { [endpoint.bucket]: 1 } })
  const headers = { authorization: caller.authorization }
  const first = await send({ headers })
  expect([first.status, first.headers.get('x-ratelimit-remaining')]).toEqual([endpoint.status, '0'])
  const moves = await caller.moves()
  const second = await send({ headers })
  const retryAfter = Number(second.headers.get('retry-after'))
  expect(second).toMatchObject({ status: 429, body: { retry_after: retryAfter, retryAfter } })
  expect(await caller.credits()).toEqual({ available: RICH.credits - cost, held: 0 })
  expect(await caller.moves()).toBe(moves)
}

async function asksForCredits({ endpoint, cost, newCaller, send }: Examination): Promise<void> {
  const credits = Math.max(0, cost - 1)
  const caller = await newCaller({ ...EVERYTHING, credits })
  const { status, body } = await send({ headers: { authorization: caller.authorization } })
  expect(status).toBe(cost > 0 ? 402 : endpoint.status)
  if (cost > 0) {
    expect(body).toMatchObject({ creditsRequired: cost, creditsAvailable: credits, creditsNeeded: cost })
  }
  expect(await caller.credits()).toEqual({ available: credits, held: 0 })
  expect(await caller.moves()).toBe(0)
}

async function refusesBadInput({ endpoint, good, newCaller, send }: Examination): Promise<void> {
  const rateLimits = { [endpoint.bucket]: 100_000 }
  const caller = await newCaller({ ...EVERYTHING, rateLimits, credits: 0 })
  for (const bad of badInputs(endpoint, good.url.searchParams)) {
    const { headers, ...change } = spoil(good.url, bad)
    const { status } = await send({ ...change, headers: { ...headers, authorization: caller.authorization } })
    expect(status, bad.why).toBe(400)
  }
  expect(await caller.moves()).toBe(0)
}

/** Harmless requests are ignored, impossible ones refused in the endpoint's own envelope. */
async function bearsOddRequests({ endpoint, cost, good, newCaller, ask, send }: Examination): Promise<void> {
  const caller = await newCaller({ ...RICH, credits: 100_000, rateLimits: { [endpoint.bucket]: 100_000 } })
  const headers = { authorization: caller.authorization }
  let spent = 0
  for (const ignored of IGNORED_QUERIES) {
    const url = `${good.url}${good.url.search === '' ? '?' : '&'}${ignored}`
    expect((await send({ url, headers })).status, ignored.slice(0, 50)).toBe(endpoint.status)
    spent += cost
  }
  if (endpoint.method === 'GET') {
    const typed = { ...headers, 'content-type': 'application/json' }
    expect((await send({ headers: typed })).status, 'a content type without a body').toBe(endpoint.status)
    spent += cost
  }
  for (const part of endpoint.params ? ODD_PATH_PARTS : []) {
    const origin = good.url.origin + endpoint.path.replace(/:\w+/g, part)
    const { status } = await send({ url: origin + good.url.search, headers })
    expect(status, part.slice(0, 50)).toBeLessThan(500)
    if (status < 400) spent += cost
  }
  const body = JSON.stringify('x'.repeat(TOO_LARGE_BYTES))
  const large = await ask({ body, headers: { ...headers, 'content-type': 'application/json' } })
  checkHeaders(large.status, large.headers)
  // The body of a GET is not read.
  expect(large.status, 'a large body').toBe(endpoint.method === 'GET' ? endpoint.status : 413)
  if (large.status < 400) spent += cost
  for (const [method, expected] of Object.entries(statusesOf(endpoint))) {
    const response = await ask({ method, headers })
    checkHeaders(response.status, response.headers)
    expect(response.status, method).toBe(expected)
  }
  // HEAD is charged as GET is.
  spent += cost * Number(endpoint.method === 'GET')
  expect(await caller.credits()).toEqual({ available: 100_000 - spent, held: 0 })
}

/** HEAD answers like the GET with the same path. */
const statusesOf = ({ method, status }: Examination['endpoint']) => ({
  TRACE: 405,
  ...(method === 'GET' && { HEAD: status }),
  PUT: 405,
  OPTIONS: 204,
})

async function givesBack({ faults, newCaller, ask }: Examination, expected: number, fault: () => Error): Promise<void> {
  const caller = await newCaller(RICH)
  faults.beforeWork = async () => {
    throw fault()
  }
  const response = await ask({ headers: { authorization: caller.authorization } })
  faults.beforeWork = undefined
  checkHeaders(response.status, response.headers)
  expect(response.status).toBe(expected)
  expect(await response.text()).not.toMatch(/secret|node\.example|postgres|\.ts/)
  expect(await caller.credits()).toEqual(UNTOUCHED)
}

async function chargesWhoLeaves({ cost, faults, good, newCaller, idle }: Examination): Promise<void> {
  const caller = await newCaller(RICH)
  const entered = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  faults.beforeWork = () => {
    entered.resolve()
    return left.promise
  }
  const { url, method, body = '' } = good
  const head = [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    `Authorization: ${caller.authorization}`,
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ]
  const socket = connect(Number(url.port), url.hostname)
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  await entered.promise
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.destroy()
  await closed
  faults.beforeWork = undefined
  left.resolve()
  await idle()
  expect(await caller.credits()).toEqual({ available: RICH.credits - cost, held: 0 })
}

async function knowsItsPath({ endpoint, good, ask }: Examination): Promise<void> {
  const put = await ask({ method: 'PUT' })
  checkHeaders(put.status, put.headers)
  expect([put.status, await put.json()]).toEqual([405, { error: 'Method Not Allowed', message: expect.any(String) }])
  expect(put.headers.get('allow')?.split(', ')).toContain(endpoint.method)
  const url = new URL(good.url)
  url.pathname += '/'
  const slash = await ask({ url })
  checkHeaders(slash.status, slash.headers)
  expect([slash.status, await slash.json()]).toEqual([404, { error: 'Not Found', message: expect.any(String) }])
}

const bug = () => new TypeError('postgres://user:secret@db/x at file.ts:1')
const sourceFailed = () => new UpstreamError('unavailable', 'https://node.example/secret')

/** Each rejects on failure. */
export const checks = {
  'succeeds and is charged': succeeds,
  '401 without exactly one valid key': asksForOneValidKey,
  '403 or 401 for accounts without access, and for no others': asksForAccess,
  '429 beyond the limit of its bucket, and not a credit taken': limitsRequests,
  '402 when a credit is missing; free at balance 0': asksForCredits,
  '400 for whatever its input must not be, at balance 0 and without a charge': refusesBadInput,
  'odd paths, queries, bodies and methods are no error of ours': bearsOddRequests,
  'a bug is 500, given back, and says nothing of itself': (examination) => givesBack(examination, 500, bug),
  'a source that failed is 502, given back, and says nothing of itself': (examination) =>
    givesBack(examination, 502, sourceFailed),
  'a client that leaves stays charged': chargesWhoLeaves,
  '405 under a method that the path does not have, 404 with a slash behind': knowsItsPath,
} as const satisfies Record<string, (examination: Examination) => Promise<void>>

export type CheckName = keyof typeof checks
