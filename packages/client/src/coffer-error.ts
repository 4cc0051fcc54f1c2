import type { FailureCode } from '@coffer/contract'

/** The service refused or failed a call. `body` is what it answered: parsed JSON, or the text where it is none. */
export class CofferError extends Error {
  override readonly name = 'CofferError'
  readonly status: number
  readonly body: unknown
  /** The code of a coded error, e.g. `BUNDLE_NOT_FOUND`; a newer service may have others. */
  readonly code: FailureCode | (string & Record<never, never>) | undefined
  /** Seconds to wait before the next try, on 429 and 503. */
  readonly retryAfterSeconds: number | undefined
  /** Names the request in the logs of the service. */
  readonly requestId: string | undefined

  constructor(status: number, body: unknown, headers: Headers) {
    super(`${status}: ${messageOf(body)}`)
    this.status = status
    this.body = body
    const { error } = Object(body) as { error?: unknown }
    const { code } = Object(error) as { code?: unknown }
    this.code = typeof code === 'string' ? code : undefined
    this.retryAfterSeconds = secondsUntil(headers.get('retry-after'))
    this.requestId = headers.get('x-request-id') ?? undefined
  }
}

/** No whole answer came: the service is not reached, or the connection broke. `cause` is what `fetch` threw. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'

  /** `origin`: where the service should be; a URL in full may carry what is not for logs. */
  constructor(origin: string, cause: unknown) {
    super(`No answer came from ${origin}`, { cause })
  }
}

/** A success whose body is not what the contract says. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError'
  readonly body: unknown

  constructor(message: string, body: unknown) {
    super(message)
    this.body = body
  }
}

/** `Retry-After` has seconds, or the time of a proxy's clock. */
function secondsUntil(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1_000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** What the service says, wherever the route's envelope puts it. */
function messageOf(body: unknown): string {
  const { message, error, details } = Object(body) as Record<string, unknown>
  for (const candidate of [message, Object(error).message, Object(details).message, error, body]) {
    if (typeof candidate === 'string') return candidate
  }
  return 'no message'
}
