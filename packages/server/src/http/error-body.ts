import { STATUS_CODES } from 'node:http'
import { type Endpoint, type ErrorStyle, Failure, failures } from '@coffer/contract'
import { UpstreamError } from '../lib/upstream-error.ts'

const styles: Record<ErrorStyle, (failure: Failure) => object | string> = {
  coded: codedBody,
  titled: ({ status, message }) => ({ error: STATUS_CODES[status], message }),
  detailed: ({ status, message }) =>
    status === 400 ? { error: 'Validation Failed', details: { message } } : { message },
  message: ({ message }) => ({ message }),
  plain: ({ status, message }) => (status === 502 ? message : { error: message }),
  problem: ({ code, status, message, extras }) => ({
    type: 'about:blank',
    title: STATUS_CODES[status],
    status,
    detail: message,
    code,
    ...extras,
  }),
}

/** The nearest code that the interface has. */
function codedBody({ code, status, message, extras }: Failure): object {
  if (status >= 500) return { error: { code: 'INTERNAL_ERROR', message } }
  if (code === 'BODY_TOO_LARGE') return { error: { code: 'VALIDATION_ERROR', message } }
  return { error: { code, message, ...extras } }
}

/** UNAUTHORIZED, FORBIDDEN and INTERNAL_ERROR differ in one style each. */
function sharedBody(style: ErrorStyle, { code, message, extras }: Failure): object | undefined {
  if (style === 'problem') return undefined
  switch (code) {
    case 'UNAUTHORIZED':
      return style === 'coded'
        ? { error: { code, message: 'Unauthorized' }, message: 'Unauthorized' }
        : { error: 'Unauthorized', message: 'Unauthorized' }
    case 'INSUFFICIENT_CREDITS':
      return { message, ...extras, creditsNeeded: extras['creditsRequired'] }
    case 'FORBIDDEN':
      return style === 'plain' ? { error: message } : { error: 'Forbidden', message }
    case 'RATE_LIMITED': {
      const seconds = extras['retryAfterSeconds']
      return { error: 'Too Many Requests', message, retry_after: seconds, retryAfter: seconds }
    }
    case 'INTERNAL_ERROR':
      return style === 'coded' ? undefined : { error: 'Internal Server Error', message }
    default:
      return undefined
  }
}

export function errorBody(style: ErrorStyle, failure: Failure): object | string {
  return sharedBody(style, failure) ?? styles[style](failure)
}

/** A failed source stays unnamed, and a bug reveals nothing. */
export function asFailure(thrown: unknown, isUnavailable: (thrown: unknown) => boolean = () => false): Failure {
  if (thrown instanceof Failure) return thrown
  if (thrown instanceof UpstreamError) {
    return new Failure('UPSTREAM_UNAVAILABLE', 'A source that this answer needs could not be read')
  }
  if (isUnavailable(thrown)) {
    return new Failure('OVERLOADED', 'The service is temporarily unavailable', { retryAfterSeconds: 5 })
  }
  return new Failure('INTERNAL_ERROR', 'Something went wrong on our side')
}

export function asBodyFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown
  const { code, statusCode } = Object(thrown) as { code?: unknown; statusCode?: unknown }
  if (statusCode === 413) return new Failure('BODY_TOO_LARGE', 'The body is larger than 256 KiB')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Failure('VALIDATION_ERROR', 'The body must be sent as application/json')
  }
  if (typeof statusCode === 'number' && statusCode < 500) {
    return new Failure('VALIDATION_ERROR', 'The body could not be read as JSON')
  }
  return asFailure(thrown)
}

type JsonSchema = Readonly<Record<string, unknown>>
type Body = { name?: string; schema: JsonSchema }

const string = { type: 'string' } as const
const integer = { type: 'integer' } as const

const object = (properties: Record<string, JsonSchema>, optional: Record<string, JsonSchema> = {}): JsonSchema => ({
  type: 'object',
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
})

/** In no coded answer. */
const OF_PORTAL: ReadonlySet<string> = new Set(['PROOF_REQUIRED', 'LAST_OWNER', 'LAST_SIGN_IN'])

function codesOf(status: number): string[] {
  if (status >= 500) return ['INTERNAL_ERROR']
  if (status === 413) return ['VALIDATION_ERROR']
  return Object.entries(failures).flatMap(([code, of]) => (of.status === status && !OF_PORTAL.has(code) ? code : []))
}

const addresses = { type: 'array', items: string }
const extras = { quota: integer, current: integer, limit: integer, name: string, bundleId: string, addresses }

const titleOf = (status: number) => STATUS_CODES[status] ?? String(status)
const nameOf = (status: number) => titleOf(status).replaceAll(' ', '')

const titled = (status: number): Body => ({
  name: nameOf(status),
  schema: object({ error: { const: titleOf(status) }, message: string }),
})
const coded = (status: number): Body => ({
  name: `Coded${nameOf(status)}`,
  schema: object({ error: object({ code: { type: 'string', enum: codesOf(status) }, message: string }, extras) }),
})
const message: Body = { name: 'MessageError', schema: object({ message: string }) }
const plain: Body = { name: 'PlainError', schema: object({ error: string }) }
const problem: Body = {
  name: 'Problem',
  schema: object({ type: string, title: string, status: integer, detail: string, code: string }, extras),
}

const bodies: Record<ErrorStyle, (status: number) => Body> = {
  coded,
  titled,
  detailed: (status) =>
    status === 400
      ? {
          name: 'ValidationFailed',
          schema: object({ error: { const: 'Validation Failed' }, details: object({ message: string }) }),
        }
      : message,
  message: () => message,
  plain: (status) => (status === 502 ? { schema: string } : plain),
  problem: () => problem,
}

const sharedBodies: Readonly<Record<number, (style: ErrorStyle) => Body>> = {
  401: (style) =>
    style === 'coded'
      ? {
          name: 'CodedUnauthorized',
          schema: object({ error: object({ code: { const: 'UNAUTHORIZED' }, message: string }), message: string }),
        }
      : titled(401),
  402: () => ({
    name: 'InsufficientCredits',
    schema: object({ message: string, creditsRequired: integer, creditsAvailable: integer, creditsNeeded: integer }),
  }),
  403: (style) => (style === 'plain' ? plain : titled(403)),
  429: () => ({
    name: 'TooManyRequests',
    schema: object({ error: { const: titleOf(429) }, message: string, retry_after: integer, retryAfter: integer }),
  }),
  500: (style) => (style === 'coded' ? coded(500) : titled(500)),
}

export function failureBody(style: ErrorStyle, status: number): Body {
  return (style === 'problem' ? undefined : sharedBodies[status]?.(style)) ?? bodies[style](status)
}

export function failureStatuses({ body, cost, requires, failures: own = [] }: Endpoint): number[] {
  // Every route answers 400 to a request without a host.
  const statuses = [400, 401, 429, 500, 503, ...own]
  if (body !== undefined) statuses.push(413)
  if (cost !== 0) statuses.push(402)
  if (requires !== 'key' && requires !== 'pro-or-unauthorized') statuses.push(403)
  return [...new Set(statuses)].sort((a, b) => a - b)
}
