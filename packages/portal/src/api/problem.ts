/** An RFC 9457 problem of the service, or a failure to reach it. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  /** A code of the contract's `failures`, `PROOF_REQUIRED`, or `UNREACHABLE` without an answer. */
  readonly code: string
  /** HTTP status; 0 without an answer. */
  readonly status: number
  /** Other members of the answer, e.g. `creditsRequired`. */
  readonly extras: Readonly<Record<string, unknown>>

  constructor(code: string, status: number, message: string, extras: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.code = code
    this.status = status
    this.extras = extras
  }
}

/** Accepts any body. */
export function toProblem(status: number, body: unknown): ApiProblem {
  const { code, detail, title, type: _type, status: _status, ...extras } = isRecord(body) ? body : {}
  const message = [detail, title].find((text) => typeof text === 'string') ?? `HTTP ${status}`
  return new ApiProblem(typeof code === 'string' ? code : `HTTP_${status}`, status, message as string, extras)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
