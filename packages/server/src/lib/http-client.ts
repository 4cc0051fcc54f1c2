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
}

export type HttpResponse = { status: number; headers: Headers; body: string }

/** The answer passed `maxBytes`; asking for less may help. */
export class AnswerTooLong extends UpstreamError {
  constructor(maxBytes: number) {
    super('invalid', `the answer is longer than ${maxBytes} bytes`)
  }
}

/** The only place that opens outgoing HTTP connections. Redirects are not followed. Whatever goes wrong is an `UpstreamError`. */
export async function httpRequest(request: HttpRequest): Promise<HttpResponse> {
  const { url, authorization } = splitCredentials(request.url)
  const signal = AbortSignal.timeout(request.timeoutMs)
  try {
    const response = await fetch(url, {
      method: request.method ?? 'GET',
      headers: { ...authorization, ...request.headers },
      redirect: 'manual',
      signal,
      ...(request.body === undefined ? {} : { body: request.body }),
    })
    return { status: response.status, headers: response.headers, body: await readBody(response, request.maxBytes) }
  } catch (error) {
    if (error instanceof UpstreamError) throw error
    if (signal.aborted) throw new UpstreamError('timeout', `no answer within ${request.timeoutMs} ms`)
    throw new UpstreamError('unavailable', `connection failed (${failureCode(error)})`)
  }
}

/** `fetch` refuses URLs with a user part; node operators use them all the same. */
function splitCredentials(raw: string): { url: string; authorization: Record<string, string> } {
  let url: URL
  try {
    url = new URL(raw)
  } catch {
    throw new UpstreamError('not-allowed', 'the configured URL is not valid')
  }
  if (!url.username && !url.password) return { url: raw, authorization: {} }
  const userPart = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  url.username = ''
  url.password = ''
  return {
    url: url.href,
    authorization: { authorization: `Basic ${Buffer.from(userPart).toString('base64')}` },
  }
}

async function readBody(response: Response, maxBytes: number): Promise<string> {
  if (!response.body) return ''
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body) {
    size += part.byteLength
    if (size > maxBytes) throw new AnswerTooLong(maxBytes)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** The system's code of a failed connection (`ECONNREFUSED`), never its message: that may name the host. */
function failureCode(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code
  }
  return 'no reason given'
}
