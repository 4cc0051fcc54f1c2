import { type Endpoint, endpoints } from '@coffer/contract'
import type { z } from 'zod'
import { CofferError, ConnectionError, UnexpectedAnswerError } from './coffer-error.ts'
import { pause, waitBeforeRetry } from './retry.ts'

export type ClientOptions = {
  /** For example `https://coffer.example`; a path before `/v1` is kept. */
  baseUrl: string
  apiKey: string
  /** Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch
  /**
   * Retries of a read after 429, 502, 503, 504 or a failed connection; default 2. Waits for `Retry-After`, up to 30
   * seconds. Calls that change something are never repeated.
   */
  retries?: number
  /** Checks answers against `endpoints` of `@coffer/client/contract`. Default: no check. */
  schemas?: Readonly<Record<string, Pick<Endpoint, 'response'>>>
}

export type CallOptions = {
  /** Ends the call and its retry wait; the call rejects with the signal's reason. */
  signal?: AbortSignal
  /** Receives the headers of a success before the call resolves, e.g. `x-data-complete` and the rate limit. */
  onHeaders?(headers: Headers): void
}

type PartName = 'params' | 'query' | 'body'
type InputOf<E extends Endpoint, P extends PartName> = E[P] extends z.ZodType ? z.input<E[P]> : never
/** Parts with a required field. */
type RequiredPart<E extends Endpoint> = {
  [P in PartName]: E[P] extends z.ZodType ? (Record<never, never> extends InputOf<E, P> ? never : P) : never
}[PartName]
type PartOf<E extends Endpoint> = { [P in PartName]: E[P] extends z.ZodType ? P : never }[PartName]
type Given<E extends Endpoint> = { [P in RequiredPart<E>]: InputOf<E, P> } & {
  [P in Exclude<PartOf<E>, RequiredPart<E>>]?: InputOf<E, P>
}

/** Files are streams: they may exceed memory. */
type AnswerOf<E extends Endpoint> = E extends { streams: readonly string[] }
  ? ReadableStream<Uint8Array>
  : z.output<E['response']>

type Call<E extends Endpoint> = [RequiredPart<E>] extends [never]
  ? (request?: Given<E>, options?: CallOptions) => Promise<AnswerOf<E>>
  : (request: Given<E>, options?: CallOptions) => Promise<AnswerOf<E>>

export type Calls<T extends Readonly<Record<string, Endpoint>>> = { readonly [K in keyof T]: Call<T[K]> }

export type Client = Calls<typeof endpoints>

type Route = Pick<Endpoint, 'method' | 'path' | 'streams'>
type AnyRequest = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

/**
 * Creates a client of the whole service. Calls resolve to the response body, or reject with a `CofferError` (the
 * service's refusal), a `ConnectionError` or an `UnexpectedAnswerError`.
 */
export function createClient(options: ClientOptions): Client {
  return createCalls(endpoints, options)
}

export function createCalls<T extends Readonly<Record<string, Endpoint>>>(table: T, options: ClientOptions): Calls<T> {
  const calls = Object.entries(table).map(([name, route]) => [
    name,
    async (request: AnyRequest = {}, callOptions: CallOptions = {}) => {
      const body = await sendUntilAnswered(options, route, request, callOptions)
      if (!route.streams) checkAnswer(options.schemas?.[name], body)
      return body
    },
  ])
  return Object.fromEntries(calls) as Calls<T>
}

async function sendUntilAnswered(
  options: ClientOptions,
  route: Route,
  request: AnyRequest,
  callOptions: CallOptions,
): Promise<unknown> {
  const { retries = 2 } = options
  for (let tries = 1; ; tries += 1) {
    try {
      return await send(options, route, request, callOptions)
    } catch (error) {
      const waitMs = route.method === 'GET' && tries <= retries ? waitBeforeRetry(error, tries) : undefined
      if (waitMs === undefined) throw error
      await pause(waitMs, callOptions.signal)
    }
  }
}

async function send(
  { baseUrl, apiKey, fetch = globalThis.fetch }: ClientOptions,
  { method, path, streams }: Route,
  { params = {}, query = {}, body }: AnyRequest,
  { signal, onHeaders }: CallOptions,
): Promise<unknown> {
  const url = baseUrl.replace(/\/+$/, '') + pathOf(path, params) + searchOf(query)
  const isFile = streams !== undefined
  const init = {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }
  const { response, text } = await exchange(fetch, url, init, isFile)
  if (response.ok) onHeaders?.(response.headers)
  if (response.ok && isFile) return response.body
  const answer = readBody(text)
  if (!response.ok) throw new CofferError(response.status, answer?.json ?? text, response.headers)
  if (!answer) throw new UnexpectedAnswerError('The answer is not JSON. Is this the URL of a Coffer service?', text)
  return answer.json
}

/** Returns the whole answer, or an unread file. Throws a `ConnectionError` if the connection breaks. */
async function exchange(fetch: typeof globalThis.fetch, url: string, init: RequestInit, isFile: boolean) {
  try {
    const response = await fetch(url, init)
    return { response, text: isFile && response.ok ? '' : await response.text() }
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ConnectionError(new URL(url).origin, error)
  }
}

function checkAnswer(endpoint: Pick<Endpoint, 'response'> | undefined, body: unknown): void {
  const checked = endpoint?.response.safeParse(body)
  if (checked?.success !== false) return
  const [issue] = checked.error.issues
  throw new UnexpectedAnswerError(`The answer breaks the contract at ${issue?.path.join('.')}: ${issue?.message}`, body)
}

function pathOf(path: string, params: Record<string, unknown>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
}

/** Writes lists as comma lists and omits undefined. */
function searchOf(query: Record<string, unknown>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

/** Returns undefined for invalid JSON. An empty body is valid. */
function readBody(text: string): { json: unknown } | undefined {
  if (text === '') return { json: undefined }
  try {
    return { json: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}
