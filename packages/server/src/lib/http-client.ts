import * as http from 'node:http'
import * as https from 'node:https'
import type { LookupFunction } from 'node:net'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { UpstreamError } from './upstream-error.ts'

/** The largest receiver gives up: endless answers refuse no usual ones. */
export type ByteBudget = { limit: number; open(giveUp: () => void): { add(bytes: number): void; close(): void } }

export function createByteBudget(limit: number): ByteBudget {
  const open = new Map<object, { bytes: number; giveUp(): void }>()
  let used = 0

  function close(key: object): void {
    used -= open.get(key)?.bytes ?? 0
    open.delete(key)
  }

  function refuseLargest(): void {
    const [largest] = [...open].sort(([, a], [, b]) => b.bytes - a.bytes)
    if (!largest) return
    const [key, share] = largest
    close(key)
    share.giveUp()
  }

  const budget: ByteBudget = {
    limit,
    open(giveUp) {
      const share = { bytes: 0, giveUp }
      open.set(share, share)
      return {
        add(bytes) {
          if (!open.has(share)) return
          share.bytes += bytes
          used += bytes
          while (used > budget.limit) refuseLargest()
        },
        close: () => close(share),
      }
    },
  }
  return budget
}

export type HttpRequest = {
  /** May carry a key: never in an error. */
  url: string
  method?: 'GET' | 'POST'
  headers?: Readonly<Record<string, string>>
  body?: string
  timeoutMs: number
  /** Decompressed bytes. */
  maxBytes: number
  /** Truncates instead of refusing. */
  cuts?: true
  /** Disables kept connections. */
  lookup?: LookupFunction
}

export type HttpResponse = { status: number; headers: http.IncomingHttpHeaders; body: string }

/** Asking for less may help. */
export class AnswerTooLong extends UpstreamError {
  constructor(maxBytes: number) {
    super('invalid', `the answer is longer than ${maxBytes} bytes`)
  }
}

class TooMuchAtOnce extends UpstreamError {
  constructor() {
    super('unavailable', 'too many bytes of answers arrive at once')
  }
}

const receiving = createByteBudget(128_000_000)

export function limitReceiving(bytes: number): void {
  receiving.limit = bytes
}

const KEPT = { keepAlive: true, timeout: 4_000 }

export type OutgoingProxy = {
  /** May carry a password. */
  url: string
  /** Hosts that are reached directly. */
  except: readonly string[]
}

let proxied: http.AgentOptions = {}
let agents = keptAgents()

function keptAgents(): Readonly<Record<string, http.Agent>> {
  const options = { ...KEPT, ...proxied }
  return { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }
}

/** For all requests without a `lookup`. Null: none. */
export function useProxy(proxy: OutgoingProxy | null): void {
  const { url, except } = proxy ?? { except: [] }
  proxied = url ? { proxyEnv: { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: except.join(',') } } : {}
  agents = keptAgents()
}

/** A proxy would look the host up itself. */
function agentFor(protocol: string, mayUseKept: boolean, lookup: LookupFunction | undefined): http.Agent | false {
  if (lookup !== undefined) return false
  if (mayUseKept) return agents[protocol] ?? false
  return protocol === 'https:' ? new https.Agent(proxied) : new http.Agent(proxied)
}

const REQUESTS: Readonly<Record<string, typeof http.request>> = { 'http:': http.request, 'https:': https.request }

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** Follows no redirects. Rejects with `UpstreamError` only. */
export async function httpRequest(request: HttpRequest): Promise<HttpResponse> {
  const signal = AbortSignal.timeout(request.timeoutMs)
  try {
    const response = await send(request, signal).catch((error: unknown) => {
      if (!(error instanceof StaleConnection)) throw error
      return send(request, signal, false)
    })
    const { statusCode = 0, headers } = response
    return { status: statusCode, headers, body: await readBody(response, request) }
  } catch (error) {
    if (error instanceof UpstreamError) throw error
    if (signal.aborted) throw new UpstreamError('timeout', `no answer within ${request.timeoutMs} ms`)
    throw new UpstreamError('unavailable', `connection failed (${failureCode(error)})`)
  }
}

/** The request was not processed and can be sent again. */
class StaleConnection extends Error {}

const CLOSED_CODES: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE'])

/** If the server closed one kept connection, it closed the others too. */
function send(request: HttpRequest, signal: AbortSignal, mayUseKept = true): Promise<http.IncomingMessage> {
  const url = URL.parse(request.url)
  const start = url && REQUESTS[url.protocol]
  if (!start) throw new UpstreamError('not-allowed', 'the configured URL is not valid')
  const body = request.body === undefined ? undefined : Buffer.from(request.body)
  const headers = {
    'accept-encoding': Object.keys(DECODERS).join(', '),
    ...(body && { 'content-length': body.byteLength }),
    ...request.headers,
  }
  return new Promise((resolve, reject) => {
    const { method = 'GET', lookup } = request
    const agent = agentFor(url.protocol, mayUseKept, lookup)
    const outgoing = start(url, { method, headers, agent, signal, ...(lookup && { lookup }) }, resolve)
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      reject(outgoing.reusedSocket && CLOSED_CODES.has(error.code) ? new StaleConnection() : error)
    })
    outgoing.end(body)
  })
}

async function readBody(response: http.IncomingMessage, { maxBytes, cuts }: HttpRequest): Promise<string> {
  const body = decoded(response)
  const share = receiving.open(() => body.destroy(new TooMuchAtOnce()))
  const decoder = new StringDecoder('utf8')
  let text = ''
  let size = 0
  try {
    for await (const part of body) {
      size += (part as Buffer).byteLength
      if (size > maxBytes && cuts) return text + decoder.write((part as Buffer).subarray(0, maxBytes - size))
      if (size > maxBytes) throw new AnswerTooLong(maxBytes)
      share.add((part as Buffer).byteLength)
      text += decoder.write(part as Buffer)
    }
    return text + decoder.end()
  } finally {
    share.close()
  }
}

function decoded(response: http.IncomingMessage): Readable {
  const decoder = DECODERS[response.headers['content-encoding'] ?? '']
  // The decoder's reader receives both errors.
  return decoder ? pipeline(response, decoder(), () => undefined) : response
}

/** Never the message: it may name the host. */
function failureCode(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code
  }
  return 'no reason given'
}

const DEFAULT_REST_MS = 2_000
const LONGEST_REST_MS = 60_000

/** `Retry-After` is in seconds. */
export function retryAfterMs(response: HttpResponse | undefined): number {
  const seconds = Number(response?.headers['retry-after'] ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, LONGEST_REST_MS) : DEFAULT_REST_MS
}
