import { decimal, formatDecimal } from '../domain/decimal.ts'
import type { Clock } from '../lib/clock.ts'
import { type HttpResponse, httpRequest } from '../lib/http-client.ts'
import { UpstreamError } from '../lib/upstream-error.ts'

/** The longest market list is about 15 MB. */
const MAX_BYTES = 64_000_000

type Request = { method: string; headers: Readonly<Record<string, string>>; body?: string | undefined }
type Response = { status: number; statusText: string; headers: Headers; text(): Promise<string> }

export type CcxtFetch = (url: string, request: Request) => Promise<Response>

/** Allows neither redirects nor proxies. Silent until `Retry-After` has passed: exchanges ban clients that continue. */
export function createCcxtFetch(baseUrl: string | undefined, clock: Clock, timeoutMs: number): CcxtFetch {
  let silentUntil = 0
  const isForHere = (url: string) => baseUrl === undefined || url.startsWith(`${baseUrl}/`)

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
    const lines = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])
    return { status: response.status, statusText: '', headers: new Headers(lines), text: async () => text }
  }
}

/** May have more digits than a float keeps. */
const LONG_NUMBER = /[:,[]\s*-?[\d.]{16,}/
/** Larger exponents would make very long texts. */
const MAX_EXPONENT = 99

/** Quotes numbers that a float would change; ccxt reads strings alike. */
function withExactNumbers(body: string): string {
  if (!LONG_NUMBER.test(body)) return body
  const quoted = (_key: string, value: unknown, { source }: { source?: string }) =>
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
