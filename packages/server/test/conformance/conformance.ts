import { connect } from 'node:net'
import { createCalls } from '@coffer/client'
import type { Endpoint } from '@coffer/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import type { Caller } from '../../src/http/mount.ts'
import { UpstreamError } from '../../src/lib/upstream-error.ts'
import { type BadInput, badInputs } from './bad-input.ts'
import { checkHeaders, createResponseCheck } from './checked-response.ts'
import type { Faults } from './faults.ts'

type Table = Readonly<Record<string, Endpoint>>
type Sample<E extends Endpoint> = {
  [P in 'params' | 'query' | 'body' as E[P] extends z.ZodType ? P : never]: E[P] extends z.ZodType
    ? z.input<E[P]>
    : never
}

/** A request that succeeds, one for each endpoint. */
export type Samples<T extends Table> = { readonly [K in keyof T]: Sample<T[K]> }

export type TestCaller = {
  authorization: string
  /** What is left, and what is held and has not ended. */
  credits(): Promise<{ available: number; held: number }>
}

/** A running service to be examined. It must trust `X-Forwarded-For`: requests without a key come from many addresses. */
export type Running = {
  origin: string
  newCaller(
    account: Pick<Caller, 'plan' | 'entitlements'> & Partial<Pick<Caller, 'rateLimits'>> & { credits: number },
  ): Promise<TestCaller>
  /** Resolves when no request is in flight. */
  idle(): Promise<void>
  stop(): Promise<void>
}

export type Subject<T extends Table> = {
  endpoints: T
  samples: Samples<T>
  /** Starts the service with the switch of `withFaults` in its handlers. */
  start(faults: Faults): Promise<Running>
}

/** Who may call what, as the contract's table of access has it: by plan and entitlements. */
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

/** The status that refuses such an account; undefined when it may call. */
function refusalOf({ requires }: Endpoint, plan: string, entitlements: readonly string[]): number | undefined {
  if (admits[requires](plan, entitlements)) return undefined
  return requires === 'pro-or-unauthorized' ? 401 : 403
}

/** What of a good request is replaced by what is wrong. */
function spoil(good: URL, { search, body, contentType }: BadInput): { url: URL; init: RequestInit } {
  const url = new URL(good)
  if (search !== undefined) url.search = search
  if (contentType === undefined) return { url, init: {} }
  return { url, init: { body: body ?? '', headers: { 'content-type': contentType } } }
}

/** Takes every endpoint of a table through 401, 402, 403, 405, 429, 400, give-back, headers, schema and a client that leaves. */
export function conformance<T extends Table>({ endpoints, samples, start }: Subject<T>): void {
  const faults: Faults = { beforeWork: undefined }
  const check = createResponseCheck(endpoints)
  let running: Running
  let addresses = 0
  beforeAll(async () => {
    running = await start(faults)
  })
  afterAll(() => running.stop())

  /** A new IP address for each request, so that the limit of one address is not what is examined. */
  function address(): string {
    addresses += 1
    return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
  }

  /** The sample request of an endpoint as the SDK spells it. */
  async function goodRequest(name: string): Promise<{ url: URL; init: RequestInit }> {
    let request: { url: URL; init: RequestInit } | undefined
    const fetch = async (url: unknown, init?: RequestInit) => {
      request = { url: new URL(String(url)), init: init ?? {} }
      return new Response(null, { status: 204 })
    }
    const calls = createCalls(endpoints, { baseUrl: running.origin, apiKey: '', fetch }) as Record<
      string,
      (sample: unknown) => Promise<unknown>
    >
    await calls[name]?.(samples[name])
    if (!request) throw new Error(`no request was made for ${name}`)
    return request
  }

  async function send(name: string, headers: Record<string, string>, change: { url?: URL; init?: RequestInit } = {}) {
    const endpoint = endpoints[name] as Endpoint
    const good = await goodRequest(name)
    const init = { ...good.init, ...change.init }
    const sent = { ...(good.init.headers as object), ...(change.init?.headers as object), ...headers }
    const response = await fetch(change.url ?? good.url, {
      ...init,
      headers: { ...sent, 'x-forwarded-for': address() },
    })
    return check(endpoint, response)
  }

  function costOf(name: string): number {
    const { cost, params, query, body } = endpoints[name] as Endpoint
    if (typeof cost === 'number') return cost
    const { params: p, query: q, body: b } = samples[name] as Record<string, unknown>
    return cost({ params: params?.parse(p), query: query?.parse(q), body: body?.parse(b) } as never)
  }

  describe.each(Object.keys(endpoints))('%s', (name) => {
    const endpoint = endpoints[name] as Endpoint

    test('succeeds and is charged', async () => {
      const caller = await running.newCaller({ ...EVERYTHING, credits: 5_000 })
      const { status, headers } = await send(name, { authorization: caller.authorization })
      expect(status).toBe(endpoint.status)
      for (const [header, value] of Object.entries(endpoint.headers ?? {})) expect(headers.get(header)).toBe(value)
      expect(await caller.credits()).toEqual({ available: 5_000 - costOf(name), held: 0 })
    })

    test('401 without exactly one valid key', async () => {
      const caller = await running.newCaller({ ...EVERYTHING, credits: 5_000 })
      const key = caller.authorization.replace('Bearer ', '')
      const wrong = ['', 'Bearer', 'Basic dTpw', key, `Bearer  ${key}`, `Bearer ${key} x`, `Bearer ${key}x`]
      const alsoWrong = [
        `Bearer ${key.slice(0, -1)}`,
        `Token ${key}`,
        `Bearer ${key}, Bearer ${key}`,
        `Bearer "${key}"`,
      ]
      for (const authorization of [...wrong, ...alsoWrong]) {
        const { status } = await send(name, { authorization })
        expect(status, authorization.replace(key, 'KEY')).toBe(401)
      }
      const { url } = await goodRequest(name)
      url.searchParams.set('apiKey', key)
      expect((await send(name, { authorization: '' }, { url })).status).toBe(401)
      expect(await caller.credits()).toEqual({ available: 5_000, held: 0 })
      expect((await send(name, { authorization: `bearer ${key}` })).status).toBe(endpoint.status)
    })

    test('403 or 401 for accounts without access, and for no others', async () => {
      for (const [plan, entitlements] of ACCOUNTS) {
        const caller = await running.newCaller({ plan, entitlements, credits: 5_000 })
        const { status } = await send(name, { authorization: caller.authorization })
        const refusal = refusalOf(endpoint, plan, entitlements)
        expect(status, `${plan} ${entitlements}`).toBe(refusal ?? endpoint.status)
        const spent = refusal === undefined ? costOf(name) : 0
        expect(await caller.credits()).toEqual({ available: 5_000 - spent, held: 0 })
      }
    })

    test('429 beyond the limit of its bucket, and not a credit taken', async () => {
      const rateLimits = { [endpoint.bucket]: 1 }
      const caller = await running.newCaller({ ...EVERYTHING, rateLimits, credits: 5_000 })
      const headers = { authorization: caller.authorization }
      const first = await send(name, headers)
      expect([first.status, first.headers.get('x-ratelimit-remaining')]).toEqual([endpoint.status, '0'])
      const second = await send(name, headers)
      const retryAfter = Number(second.headers.get('retry-after'))
      expect(second).toMatchObject({ status: 429, body: { retry_after: retryAfter, retryAfter } })
      expect(await caller.credits()).toEqual({ available: 5_000 - costOf(name), held: 0 })
    })

    test('402 when a credit is missing; free at balance 0', async () => {
      const cost = costOf(name)
      const credits = Math.max(0, cost - 1)
      const caller = await running.newCaller({ ...EVERYTHING, credits })
      const { status, body } = await send(name, { authorization: caller.authorization })
      expect(status).toBe(cost > 0 ? 402 : endpoint.status)
      if (cost > 0) {
        expect(body).toMatchObject({ creditsRequired: cost, creditsAvailable: credits, creditsNeeded: cost })
      }
      expect(await caller.credits()).toEqual({ available: credits, held: 0 })
    })

    test('400 for whatever its input must not be, at balance 0 and without a charge', async () => {
      const caller = await running.newCaller({ ...EVERYTHING, rateLimits: { [endpoint.bucket]: 100_000 }, credits: 0 })
      const { url } = await goodRequest(name)
      for (const bad of badInputs(endpoint, url.searchParams)) {
        const { status } = await send(name, { authorization: caller.authorization }, spoil(url, bad))
        expect(status, bad.why).toBe(400)
      }
      expect(await caller.credits()).toEqual({ available: 0, held: 0 })
    })

    test.each([
      ['a bug', 500, () => new TypeError('postgres://user:secret@db/x at file.ts:1')],
      ['a source that failed', 502, () => new UpstreamError('unavailable', 'https://node.example/secret')],
    ])('%s is %i, given back, and says nothing of itself', async (_, expected, fault) => {
      const caller = await running.newCaller({ ...EVERYTHING, credits: 5_000 })
      faults.beforeWork = async () => {
        throw fault()
      }
      const good = await goodRequest(name)
      const headers = { ...(good.init.headers as object), authorization: caller.authorization }
      const response = await fetch(good.url, { ...good.init, headers })
      faults.beforeWork = undefined
      checkHeaders(response.status, response.headers)
      expect(response.status).toBe(expected)
      expect(await response.text()).not.toMatch(/secret|node\.example|postgres|\.ts/)
      expect(await caller.credits()).toEqual({ available: 5_000, held: 0 })
    })

    test('a client that leaves stays charged', async () => {
      const caller = await running.newCaller({ ...EVERYTHING, credits: 5_000 })
      const entered = Promise.withResolvers<void>()
      const left = Promise.withResolvers<void>()
      faults.beforeWork = () => {
        entered.resolve()
        return left.promise
      }
      const { url, init } = await goodRequest(name)
      const body = String(init.body ?? '')
      const head = [
        `${endpoint.method} ${url.pathname}${url.search} HTTP/1.1`,
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
      await running.idle()
      expect(await caller.credits()).toEqual({ available: 5_000 - costOf(name), held: 0 })
    })

    test('405 under a method that the path does not have, 404 with a slash behind', async () => {
      const { url } = await goodRequest(name)
      const put = await fetch(url, { method: 'PUT', headers: { 'x-forwarded-for': address() } })
      checkHeaders(put.status, put.headers)
      expect([put.status, await put.json()]).toEqual([
        405,
        { error: 'Method Not Allowed', message: expect.any(String) },
      ])
      expect(put.headers.get('allow')?.split(', ')).toContain(endpoint.method)
      const head = await fetch(url, { method: 'HEAD', headers: { 'x-forwarded-for': address() } })
      expect(head.status).toBe(405)
      url.pathname += '/'
      const slash = await fetch(url, { method: endpoint.method, headers: { 'x-forwarded-for': address() } })
      checkHeaders(slash.status, slash.headers)
      expect([slash.status, await slash.json()]).toEqual([404, { error: 'Not Found', message: expect.any(String) }])
    })
  })
}
