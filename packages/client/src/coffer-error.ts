/** The service refused or failed a call. `body` is what it answered: parsed JSON, or the text where it is none. */
export class CofferError extends Error {
  override readonly name = 'CofferError'
  readonly status: number
  readonly body: unknown
  /** The code of a coded error, e.g. `BUNDLE_NOT_FOUND`. */
  readonly code: string | undefined
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
    const retryAfter = headers.get('retry-after')
    this.retryAfterSeconds = retryAfter === null ? undefined : Number(retryAfter)
    this.requestId = headers.get('x-request-id') ?? undefined
  }
}

/** What the service says, wherever the route's envelope puts it. */
function messageOf(body: unknown): string {
  const { message, error, details } = Object(body) as Record<string, unknown>
  for (const candidate of [message, Object(error).message, Object(details).message, error, body]) {
    if (typeof candidate === 'string') return candidate
  }
  return 'no message'
}
