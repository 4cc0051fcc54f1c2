import { type Endpoint, endpoints } from '@coffer/contract'
import type { z } from 'zod'
import { CofferError } from './coffer-error.ts'

export type ClientOptions = {
  /** Where the service is, e.g. `https://coffer.example`; a path before `/v1` is kept. */
  baseUrl: string
  apiKey: string
  /** Stands in for the global `fetch`. */
  fetch?: typeof globalThis.fetch
}

type CallOptions = {
  signal?: AbortSignal
  /** Told the headers of an answer before the call resolves: `x-data-complete` of validators' lists, what is left of a rate limit. */
  onHeaders?(headers: Headers): void
}

type PartName = 'params' | 'query' | 'body'
type InputOf<E extends Endpoint, P extends PartName> = E[P] extends z.ZodType ? z.input<E[P]> : never
/** The parts that must be given: those in which something is required. */
type RequiredPart<E extends Endpoint> = {
  [P in PartName]: E[P] extends z.ZodType ? (Record<never, never> extends InputOf<E, P> ? never : P) : never
}[PartName]
type PartOf<E extends Endpoint> = { [P in PartName]: E[P] extends z.ZodType ? P : never }[PartName]
type Given<E extends Endpoint> = { [P in RequiredPart<E>]: InputOf<E, P> } & {
  [P in Exclude<PartOf<E>, RequiredPart<E>>]?: InputOf<E, P>
}

/** A file comes as a stream: it may be longer than memory. */
type AnswerOf<E extends Endpoint> = E extends { streams: readonly string[] }
  ? ReadableStream<Uint8Array>
  : z.output<E['response']>

type Call<E extends Endpoint> = [RequiredPart<E>] extends [never]
  ? (request?: Given<E>, options?: CallOptions) => Promise<AnswerOf<E>>
  : (request: Given<E>, options?: CallOptions) => Promise<AnswerOf<E>>

/** One typed function an endpoint. */
export type Calls<T extends Readonly<Record<string, Endpoint>>> = { readonly [K in keyof T]: Call<T[K]> }

export type Client = Calls<typeof endpoints>

type AnyRequest = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

/** A client of the whole service. Every call resolves to the response's body, or rejects with a `CofferError`. */
export function createClient(options: ClientOptions): Client {
  return createCalls(endpoints, options)
}

/** A client of any table of endpoints. */
export function createCalls<T extends Readonly<Record<string, Endpoint>>>(table: T, options: ClientOptions): Calls<T> {
  const calls = Object.entries(table).map(([name, endpoint]) => [
    name,
    (request: AnyRequest = {}, callOptions: CallOptions = {}) => send(options, endpoint, request, callOptions),
  ])
  return Object.fromEntries(calls) as Calls<T>
}

async function send(
  { baseUrl, apiKey, fetch = globalThis.fetch }: ClientOptions,
  endpoint: Endpoint,
  { params = {}, query = {}, body }: AnyRequest,
  { signal, onHeaders }: CallOptions,
): Promise<unknown> {
  const response = await fetch(baseUrl.replace(/\/+$/, '') + pathOf(endpoint, params) + searchOf(query), {
    method: endpoint.method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  if (response.ok) onHeaders?.(response.headers)
  if (response.ok && endpoint.streams) return response.body
  const text = await response.text()
  if (!response.ok) throw new CofferError(response.status, readBody(text), response.headers)
  return text === '' ? undefined : JSON.parse(text)
}

function pathOf({ path }: Endpoint, params: Record<string, unknown>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
}

/** Lists become comma lists; what is undefined is left out. */
function searchOf(query: Record<string, unknown>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

function readBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
