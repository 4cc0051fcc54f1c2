import { outageOver, rateLimitOver } from '../lib/connection.ts'
import { parseLossless } from './lossless.ts'
import { ApiProblem, toProblem } from './problem.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
type Scalar = string | number | boolean

export type RequestParts = {
  /** Values for `:name` in the path. */
  params?: Readonly<Record<string, Scalar>>
  /** Lists become one comma-separated parameter, as `/v1` takes them; undefined is omitted. */
  query?: Readonly<Record<string, Scalar | readonly string[] | undefined>>
  body?: unknown
  signal?: AbortSignal
  /** For pages before sign-in: a 401 is an ordinary answer. */
  anonymous?: boolean
  /** Receives the headers of a success. */
  onHeaders?: (headers: Headers) => void
}

/** The frame's reactions to an answer, before a screen receives it. */
type Reactions = {
  signedOut: () => void
  /** Asks the user to prove their identity; false if the user declines. */
  prove: () => Promise<boolean>
}

let reactions: Reactions = { signedOut: () => undefined, prove: async () => false }

export function reactTo(given: Reactions): void {
  reactions = given
}

/** Longest rate limit that a read waits for; a longer one is an error. */
const LONGEST_WAIT_SECONDS = 120

/**
 * Calls `/portal/api`. Throws `ApiProblem`. A 401 leads to sign-in. `PROOF_REQUIRED` asks the user for a proof and
 * repeats the call. A read waits for the end of an outage or rate limit and is repeated.
 */
export async function request(method: Method, path: string, parts: RequestParts = {}): Promise<unknown> {
  try {
    return await call(method, path, parts)
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    if (error.status === 401 && !parts.anonymous) reactions.signedOut()
    if (error.code === 'PROOF_REQUIRED' && (await reactions.prove())) return call(method, path, parts)
    if (await isPassing(error, method)) {
      // Early answers failed as well.
      early = {}
      return request(method, path, parts)
    }
    throw error
  }
}

/** Returns true if a failed call is to be repeated; resolves when its cause has passed. The user repeats a write. */
async function isPassing({ code, extras }: ApiProblem, method: Method): Promise<boolean> {
  if (isOutage(code)) {
    const over = outageOver()
    return method === 'GET' && (await over)
  }
  const seconds = extras['retryAfterSeconds']
  if (code !== 'RATE_LIMITED' || method !== 'GET' || typeof seconds !== 'number') return false
  if (seconds > LONGEST_WAIT_SECONDS) return false
  await rateLimitOver(seconds)
  return true
}

/** No answer, or a proxy answered in place of the service. */
const isOutage = (code: string): boolean => ['UNREACHABLE', 'HTTP_502', 'HTTP_503', 'HTTP_504'].includes(code)

async function call(method: Method, path: string, parts: RequestParts): Promise<unknown> {
  const { body, signal } = parts
  const response = await answerTo(addressOf(path, parts), {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    ...(signal && { signal }),
  })
  const text = await response.text()
  if (!response.ok) throw toProblem(response.status, parseOrNull(text))
  parts.onHeaders?.(response.headers)
  if (text === '') return undefined
  return path.includes('/v1/') ? parseLossless(text) : JSON.parse(text)
}

/** Answers that the page head requested before the application loaded, each used once (build/head-script.js). */
let early = (globalThis as { early?: Record<string, Promise<Response | undefined>> }).early ?? {}

/** Any call but a read may change an answer, or its owner: it drops all early answers. */
async function askedEarly(address: string, method: string): Promise<Response | undefined> {
  const asked = early[address]
  if (method === 'GET') delete early[address]
  else early = {}
  return method === 'GET' ? asked : undefined
}

async function answerTo(address: string, init: RequestInit & { method: Method }): Promise<Response> {
  try {
    return (await askedEarly(address, init.method)) ?? (await fetch(address, init))
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ApiProblem('UNREACHABLE', 0, 'The service did not answer.')
  }
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export function addressOf(path: string, { params = {}, query = {} }: Pick<RequestParts, 'params' | 'query'>): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, Array.isArray(value) ? value.join(',') : String(value))
  }
  // People read these URLs, so commas in lists stay unescaped.
  const tail = search.toString().replaceAll('%2C', ',')
  return `/portal/api${filled}${tail && `?${tail}`}`
}
