/** A failure that the service told, as RFC 9457 spells it, or that kept the service from being asked at all. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  /** As in the contract's `failures`; `PROOF_REQUIRED`; `UNREACHABLE` where no answer came. */
  readonly code: string
  /** The status of HTTP; 0 where no answer came. */
  readonly status: number
  /** What else the answer said, e.g. `creditsRequired`. */
  readonly extras: Readonly<Record<string, unknown>>

  constructor(code: string, status: number, message: string, extras: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.code = code
    this.status = status
    this.extras = extras
  }
}

/** The problem in an answer's body; any body will do. */
export function toProblem(status: number, body: unknown): ApiProblem {
  const { code, detail, title, type: _type, status: _status, ...extras } = isRecord(body) ? body : {}
  const message = [detail, title].find((text) => typeof text === 'string') ?? `HTTP ${status}`
  return new ApiProblem(typeof code === 'string' ? code : `HTTP_${status}`, status, message as string, extras)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
