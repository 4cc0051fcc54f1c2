import { decimal, formatDecimal } from '../domain/decimal.ts'
import type { Clock } from '../lib/clock.ts'
import { type HttpResponse, httpRequest } from '../lib/http-client.ts'
import { UpstreamError } from '../lib/upstream-error.ts'

/** The longest list of markets of an exchange is about 15 MB. */
const MAX_BYTES = 64_000_000

type Request = { method: string; headers: Readonly<Record<string, string>>; body?: string | undefined }
type Response = { status: number; statusText: string; headers: Headers; text(): Promise<string> }

/** The transport that ccxt calls in place of its own. */
export type CcxtFetch = (url: string, request: Request) => Promise<Response>

type Options = {
  /** If set, requests go to this URL only. */
  baseUrl: string | undefined
  clock: Clock
  timeoutMs: number
}

/**
 * Sends what ccxt has signed through the one HTTP client: a time limit that includes the body, a size limit, no
 * redirect, no proxy. Only GET and POST get through. After an answer that asks to wait (`Retry-After` with 418 or 429)
 * nothing is sent until then, as exchanges ban clients that continue.
 */
export function createCcxtFetch({ baseUrl, clock, timeoutMs }: Options): CcxtFetch {
  let silentUntil = 0
  const isForHere = (url: string) => baseUrl === undefined || url.startsWith(`${baseUrl}/`)

  /** Notes for how long nothing may be sent. */
  const heed = ({ status, headers }: HttpResponse) => {
    if (status !== 418 && status !== 429) return
    const seconds = Number(headers['retry-after'])
    if (seconds > 0) silentUntil = clock.now() + seconds * 1_000
  }

  return async (url, { method, headers, body }) => {
    if ((method !== 'GET' && method !== 'POST') || !isForHere(url)) {
      throw new UpstreamError('not-allowed', 'this request is not for here')
    }
    if (clock.now() < silentUntil) throw new UpstreamError('rate-limited', 'the exchange asked to wait')
    const sent = body === undefined ? {} : { body }
    const response = await httpRequest({ url, method, headers, ...sent, timeoutMs, maxBytes: MAX_BYTES })
    heed(response)
    const text = withExactNumbers(response.body)
    return { status: response.status, statusText: '', headers: headersOf(response), text: async () => text }
  }
}

/** In the form that ccxt reads. */
function headersOf({ headers }: HttpResponse): Headers {
  const lines = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string])
  return new Headers(lines)
}

/** An unquoted number with more digits than a float keeps for sure. */
const LONG_NUMBER = /[:,[]\s*-?[\d.]{16,}/
/** Larger exponents occur in no amount, and would make very long texts. */
const MAX_EXPONENT = 99

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

/** Quotes each number in the JSON that a float would change; ccxt reads strings and numbers alike. */
function withExactNumbers(body: string): string {
  if (!LONG_NUMBER.test(body)) return body
  const quoted: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? exactNumber(value, source) : value
  try {
    return JSON.stringify(JSON.parse(body, quoted as (key: string, value: unknown) => unknown))
  } catch {
    return body
  }
}

function exactNumber(value: number, source: string): number | string {
  const exponent = Math.abs(Number(/e(.*)$/i.exec(source)?.[1] ?? 0))
  if (source.length < 16 || exponent > MAX_EXPONENT) return value
  return formatDecimal(decimal(source))
}
