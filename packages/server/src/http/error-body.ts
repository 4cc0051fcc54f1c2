import { STATUS_CODES } from 'node:http'
import { type ErrorStyle, Failure } from '@coffer/contract'
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
