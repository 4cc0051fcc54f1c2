import * as http from 'node:http'
import * as https from 'node:https'
import type { LookupFunction } from 'node:net'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { createByteBudget } from './byte-budget.ts'
import { UpstreamError } from './upstream-error.ts'

export type HttpRequest = {
  /** May carry a key in its path, query or user part: it never appears in an error. */
  url: string
  method?: 'GET' | 'POST'
  headers?: Readonly<Record<string, string>>
  body?: string
  /** For the whole exchange, body included. */
  timeoutMs: number
  /** Of the body as decompressed; a longer answer is refused while it arrives. */
  maxBytes: number
  /** Cuts an answer that is longer instead. */
  cuts?: true
  /** Finds the addresses of the host. Each request has a connection of its own then. */
  lookup?: LookupFunction
}

/** Names of headers in lower case. */
export type HttpResponse = { status: number; headers: http.IncomingHttpHeaders; body: string }

/** The answer passed `maxBytes`; asking for less may help. */
export class AnswerTooLong extends UpstreamError {
  constructor(maxBytes: number) {
    super('invalid', `the answer is longer than ${maxBytes} bytes`)
  }
}

/** The answers that arrive now are too many bytes together, and this one was the largest of them. */
class TooMuchAtOnce extends UpstreamError {
  constructor() {
    super('unavailable', 'too many bytes of answers arrive at once')
  }
}

/** Memory of all answers that this process receives. */
const receiving = createByteBudget(128_000_000)

/** Sets how many bytes of answers may arrive at once, over all hosts. */
export function limitReceiving(bytes: number): void {
  receiving.limit = bytes
}

/** How long a connection is kept for the next request, in ms: less than servers do, which would close it meanwhile. */
const KEPT_MS = 4_000

const PROTOCOLS: Readonly<Record<string, { request: typeof http.request; agent: http.Agent }>> = {
  'http:': { request: http.request, agent: new http.Agent({ keepAlive: true, timeout: KEPT_MS }) },
  'https:': { request: https.request, agent: new https.Agent({ keepAlive: true, timeout: KEPT_MS }) },
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** The only place that opens outgoing HTTP connections. Redirects are not followed. Whatever goes wrong is an `UpstreamError`. */
export async function httpRequest(request: HttpRequest): Promise<HttpResponse> {
  const signal = AbortSignal.timeout(request.timeoutMs)
  try {
    const response = await send(request, signal).catch((error: unknown) => {
      if (!isStale(error)) throw error
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

/** The server closed a kept connection while a request was being sent: it was not processed and can be sent again. */
class StaleConnection extends Error {}

const isStale = (error: unknown) => error instanceof StaleConnection

/** Codes of a write to a connection that the other side has closed. */
const CLOSED_CODES: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE'])

/**
 * Uses a kept connection or, on a retry, a new one: if the server closed one kept connection, it closed the others too.
 */
function send(request: HttpRequest, signal: AbortSignal, mayUseKept = true): Promise<http.IncomingMessage> {
  const url = URL.parse(request.url)
  const protocol = url && PROTOCOLS[url.protocol]
  if (!protocol) throw new UpstreamError('not-allowed', 'the configured URL is not valid')
  const body = request.body === undefined ? undefined : Buffer.from(request.body)
  const headers = {
    'accept-encoding': Object.keys(DECODERS).join(', '),
    ...(body && { 'content-length': body.byteLength }),
    ...request.headers,
  }
  return new Promise((resolve, reject) => {
    const { method = 'GET', lookup } = request
    const agent = mayUseKept && lookup === undefined && protocol.agent
    const outgoing = protocol.request(url, { method, headers, agent, signal, ...(lookup && { lookup }) }, resolve)
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      reject(outgoing.reusedSocket && CLOSED_CODES.has(error.code) ? new StaleConnection() : error)
    })
    outgoing.end(body)
  })
}

/** Decodes the answer as it arrives, so that it is in memory once and not also as chunks and their concatenation. */
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
  // The reader of the decoder receives an error of either stream.
  return decoder ? pipeline(response, decoder(), () => undefined) : response
}

/** The system's code of a failed connection (`ECONNREFUSED`), never its message: that may name the host. */
function failureCode(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code
  }
  return 'no reason given'
}
