import { request } from 'node:http'
import { createCalls } from '@coffer/client'
import type { Endpoint } from '@coffer/contract'
import type { z } from 'zod'
import type { Caller } from '../../src/http/gates.ts'
import { type Checked, createResponseCheck, type ServedDocument } from './checked-response.ts'
import type { CheckName } from './checks.ts'
import type { Faults } from './faults.ts'

export type Table = Readonly<Record<string, Endpoint>>
type Sample<E extends Endpoint> = {
  [P in 'params' | 'query' | 'body' as E[P] extends z.ZodType ? P : never]: E[P] extends z.ZodType
    ? z.input<E[P]>
    : never
}

export type Samples<T extends Table> = { readonly [K in keyof T]: Sample<T[K]> }

export type TestCaller = {
  accountId: string
  authorization: string
  /** `held`: holds that have not ended. */
  credits(): Promise<{ available: number; held: number }>
  /** 0 for a new account and after requests that must write nothing. */
  moves(): Promise<number>
}

/** Must trust `X-Forwarded-For`: requests without a key come from many addresses. */
export type Running = {
  origin: string
  newCaller(
    account: Pick<Caller, 'plan' | 'entitlements'> & Partial<Pick<Caller, 'rateLimits'>> & { credits: number },
  ): Promise<TestCaller>
  /** Restores data that samples use, before each request. */
  reset?(accountId: string): Promise<void>
  idle(): Promise<void>
  stop(): Promise<void>
}

export type Subject<T extends Table> = {
  endpoints: T
  samples: Samples<T>
  /** Other successful requests, by their particularity. */
  further?: Readonly<Record<string, Partial<Samples<T>>>>
  /** All checks by default. `kind`: key of `further`. */
  checksOf?(name: keyof T, kind?: string): readonly CheckName[]
  /** Uses `withFaults`. */
  start(faults: Faults): Promise<Running>
}

/** The headers have no key yet. */
type Good = { url: URL; method: string; headers: Record<string, string>; body: string | undefined }

/** Sends a header with several values as several headers. */
export type Change = {
  url?: URL | string
  method?: string
  headers?: Record<string, string | string[]>
  body?: string | undefined
}

export type Examination = {
  name: string
  endpoint: Endpoint
  cost: number
  faults: Faults
  newCaller: Running['newCaller']
  idle: Running['idle']
  good: Good
  /** Sends from its own address, without checks. */
  ask(change: Change): Promise<Response>
  /** The served document must describe the answer. */
  send(change: Change): Promise<Checked>
}

/** `of` examines one endpoint; fails without a sample. */
export async function openExamination<T extends Table>({ endpoints, samples, start }: Subject<T>) {
  const faults: Faults = { beforeWork: undefined }
  const running = await start(faults)
  const served = await fetch(`${running.origin}/openapi.json`)
  const check = createResponseCheck((await served.json()) as ServedDocument)
  let addresses = 0
  const accounts = new Map<string, string>()

  /** Keeps the limit per address out of the tests. */
  function address(): string {
    addresses += 1
    return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
  }

  const newCaller: Running['newCaller'] = async (account) => {
    const caller = await running.newCaller(account)
    accounts.set(caller.authorization, caller.accountId)
    await running.reset?.(caller.accountId)
    return caller
  }

  /** A request may have used up what the next one needs. */
  async function resetFor(authorization: unknown): Promise<void> {
    const accountId = accounts.get(String(authorization).replace(/^bearer/, 'Bearer'))
    if (accountId !== undefined) await running.reset?.(accountId)
  }

  /** Request as the SDK writes it. */
  async function goodRequest(name: string, sample: unknown): Promise<Good> {
    if (!sample) throw new Error(`${name} has no sample: give a request that succeeds`)
    const requests: Good[] = []
    const fetch = async (url: unknown, { method = 'GET', headers, body }: RequestInit = {}) => {
      const { authorization: _, ...others } = headers as Record<string, string>
      requests.push({ url: new URL(String(url)), method, headers: others, body: body ? String(body) : undefined })
      return new Response(null, { status: 204 })
    }
    const calls = createCalls(endpoints, { baseUrl: running.origin, apiKey: '', fetch, retries: 0 }) as Record<
      string,
      (sample: unknown) => Promise<unknown>
    >
    await calls[name]?.(sample)
    const [good] = requests
    if (!good) throw new Error(`no request was made for ${name}`)
    return good
  }

  async function examine(name: string, chosen: Partial<Samples<T>> = samples): Promise<Examination> {
    const endpoint = endpoints[name] as Endpoint
    const good = await goodRequest(name, chosen[name])
    const ask = async ({ headers, ...change }: Change) => {
      await resetFor(headers?.['authorization'])
      return exchange({ ...good, ...change, headers: { ...good.headers, 'x-forwarded-for': address(), ...headers } })
    }
    return {
      name,
      endpoint,
      cost: costOf(endpoint, chosen[name] as Record<string, unknown>),
      faults,
      newCaller,
      idle: running.idle,
      good,
      ask,
      send: async (change) => check(endpoint, await ask(change)),
    }
  }

  return { examine, stop: running.stop }
}

function costOf({ cost, params, query, body }: Endpoint, sample: Record<string, unknown>): number {
  if (typeof cost === 'number') return cost
  const { params: p, query: q, body: b } = sample
  return cost({ params: params?.parse(p), query: query?.parse(q), body: body?.parse(b) } as never)
}

/** Sends paths, methods and repeated headers unchanged; `fetch` would mend or refuse them. */
function exchange({ url, method, headers, body }: Change & { url: URL | string }): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const { hostname, port } = new URL(url)
  const path = String(url).replace(/^\w+:\/\/[^/]+/, '')
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const sent = request({ hostname, port, path, method, headers: { ...headers, ...length } }, async (received) => {
    const chunks: Buffer[] = []
    for await (const chunk of received) chunks.push(chunk as Buffer)
    const { statusCode: status = 0, headersDistinct } = received
    const all = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    )
    const content = chunks.length > 0 ? Buffer.concat(chunks) : null
    resolve(new Response(content, { status, headers: all }))
  })
  sent.on('error', reject)
  sent.end(body)
  return promise
}
