import { UpstreamError, type UpstreamReason } from '../lib/upstream-error.ts'
import type { CcxtErrors } from './ccxt-library.ts'

/**
 * Refusals of a key that ccxt classifies otherwise: Kraken's as any error, and Binance's as a ban if the same key could
 * read another account a moment ago.
 */
const REFUSED = /EAPI:Invalid (key|signature|nonce)|"code":\s*-2015\b/

const SENTENCES: Record<UpstreamReason, string> = {
  timeout: 'did not answer in time',
  unavailable: 'cannot be reached',
  'rate-limited': 'asks for fewer requests',
  invalid: 'gave an answer that cannot be trusted',
  'not-allowed': 'refuses the key',
}

/**
 * An error that names the exchange and nothing else. It has no cause, as ccxt's errors hold URLs, signatures and
 * bodies.
 */
export function exchangeFailure(name: string, reason: UpstreamReason): UpstreamError {
  return new UpstreamError(reason, `${name} ${SENTENCES[reason]}`)
}

/** Why a call through ccxt failed. What is neither ccxt's error nor ours comes from an answer of an unexpected shape. */
export function reasonOf(error: unknown, errors: CcxtErrors): UpstreamReason {
  if (error instanceof UpstreamError) return error.reason
  if (error instanceof Error && REFUSED.test(error.message)) return 'not-allowed'
  if (error instanceof errors.RateLimitExceeded || error instanceof errors.DDoSProtection) return 'rate-limited'
  if (error instanceof errors.AuthenticationError || error instanceof errors.InvalidNonce) return 'not-allowed'
  if (error instanceof errors.RequestTimeout) return 'timeout'
  if (error instanceof errors.OperationFailed && !(error instanceof errors.BadResponse)) return 'unavailable'
  return 'invalid'
}
