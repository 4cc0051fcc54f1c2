import { UpstreamError, type UpstreamReason } from '../lib/upstream-error.ts'
import type { CcxtErrors } from './ccxt-library.ts'

/** Key refusals that ccxt classifies otherwise: Kraken's as any error, Binance's as a ban if the key worked before. */
const REFUSED = /EAPI:Invalid (key|signature|nonce)|"code":\s*-2015\b/

const SENTENCES: Record<UpstreamReason, string> = {
  timeout: 'did not answer in time',
  unavailable: 'cannot be reached',
  'rate-limited': 'asks for fewer requests',
  invalid: 'gave an answer that cannot be trusted',
  'not-allowed': 'refuses the key',
}

/** Sets no cause: ccxt's errors hold URLs, signatures and bodies. */
export function exchangeFailure(name: string, reason: UpstreamReason): UpstreamError {
  return new UpstreamError(reason, `${name} ${SENTENCES[reason]}`)
}

export function reasonOf(error: unknown, errors: CcxtErrors): UpstreamReason {
  if (error instanceof UpstreamError) return error.reason
  if (error instanceof Error && REFUSED.test(error.message)) return 'not-allowed'
  if (error instanceof errors.RateLimitExceeded || error instanceof errors.DDoSProtection) return 'rate-limited'
  if (error instanceof errors.AuthenticationError || error instanceof errors.InvalidNonce) return 'not-allowed'
  if (error instanceof errors.RequestTimeout) return 'timeout'
  if (error instanceof errors.OperationFailed && !(error instanceof errors.BadResponse)) return 'unavailable'
  return 'invalid'
}
