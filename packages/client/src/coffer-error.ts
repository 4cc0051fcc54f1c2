import type { FailureCode } from '@coffer/contract'

/** A refused or failed call. `body`: parsed JSON, or text. */
export class CofferError extends Error {
  override readonly name = 'CofferError'
  readonly status: number
  readonly body: unknown
  /** For example `BUNDLE_NOT_FOUND`; a newer service may have others. */
  readonly code: FailureCode | (string & Record<never, never>) | undefined
  /** Until the next try, on 429 and 503. */
  readonly retryAfterSeconds: number | undefined
  /** As in the service's logs. */
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

/** No whole answer: the service is unreachable, or the connection broke. `cause`: the error of `fetch`. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'

  /** A full URL may carry what does not belong in logs. */
  constructor(origin: string, cause: unknown) {
    super(`No answer came from ${origin}`, { cause })
  }
}

/** A success whose body breaks the contract. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError'
  readonly body: unknown

  constructor(message: string, body: unknown) {
    super(message)
    this.body = body
  }
}

/** `Retry-After` has seconds, or a date of a proxy's clock. */
function secondsUntil(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1_000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

function messageOf(body: unknown): string {
  const { message, error, details } = Object(body) as Record<string, unknown>
  for (const candidate of [message, Object(error).message, Object(details).message, error, body]) {
    if (typeof candidate === 'string') return candidate
  }
  return 'no message'
}
