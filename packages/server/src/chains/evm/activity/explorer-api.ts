import { setTimeout as wait } from 'node:timers/promises'
import { createCircuitBreaker } from '../../../lib/circuit-breaker.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createGate } from '../../../lib/concurrency.ts'
import { httpRequest } from '../../../lib/http-client.ts'
import type { Secret } from '../../../lib/secret.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { recordOf } from '../rpc-values.ts'

/** `module` and `action` in the query; `status`, `message`, `result` in the answer. */
export type ExplorerApi = {
  /** Returns `result`, an empty list without entries. Any other unsuccessful answer is an `UpstreamError`. */
  ask(params: Readonly<Record<string, string>>): Promise<unknown>
}

/** `pauseMs`: between requests over all chains; tripled after a rate-limited one. */
type Options = { url: Secret; key?: Secret; clock: Clock; pauseMs: number }

const TIMEOUT_MS = 15_000
const MAX_ANSWER_BYTES = 64_000_000
const MOST_TRIES = 4
/** After a refusal by key or plan. */
const NOT_ALLOWED_MS = 3_600_000

const NONE = /^no .*found/i
const TOO_FAST = /rate limit|too many|max calls/i
const NOT_ALLOWED = /api ?key|chainid|not supported|upgrade|plan|deprecated/i

export function createExplorerApi({ url, key, clock, pauseMs }: Options): ExplorerApi {
  const gate = createGate(1)
  const breaker = createCircuitBreaker(clock)
  let last = Number.NEGATIVE_INFINITY

  async function attempt(params: Readonly<Record<string, string>>): Promise<unknown> {
    await wait(Math.max(0, pauseMs - (performance.now() - last)))
    last = performance.now()
    const query = new URLSearchParams({ ...params, ...(key && { apikey: key.reveal() }) })
    const asked = `${url.reveal()}?${query}`
    const response = await httpRequest({ url: asked, timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES })
    if (response.status === 429) throw new UpstreamError('rate-limited', 'the explorer asks for fewer requests')
    return resultOf(response.body, response.status)
  }

  async function patiently(params: Readonly<Record<string, string>>): Promise<unknown> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(params)
      } catch (error) {
        const isTooFast = error instanceof UpstreamError && error.reason === 'rate-limited'
        if (!isTooFast || tries === MOST_TRIES) throw error
        await wait(pauseMs * 3 * tries)
      }
    }
  }

  return {
    ask: (params) =>
      gate(async () => {
        if (!breaker.admits()) throw new UpstreamError('unavailable', 'the explorer failed a moment ago')
        const departure = breaker.begin()
        try {
          const result = await patiently(params)
          breaker.succeed()
          return result
        } catch (error) {
          breaker.fail(departure)
          if (error instanceof UpstreamError && error.reason === 'not-allowed') breaker.rest(NOT_ALLOWED_MS)
          throw error
        }
      }),
  }
}

function resultOf(body: string, httpStatus: number): unknown {
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch {
    throw new UpstreamError(httpStatus === 200 ? 'invalid' : 'unavailable', `HTTP ${httpStatus} without JSON`)
  }
  const { status, message, result } = recordOf(answer, 'an answer of an explorer')
  if (status === '1') return result
  const words = [message, result].filter((part) => typeof part === 'string').join(' ')
  if (status === '0' && typeof message === 'string' && NONE.test(message)) return []
  if (TOO_FAST.test(words)) throw new UpstreamError('rate-limited', 'the explorer asks for fewer requests')
  if (NOT_ALLOWED.test(words)) throw new UpstreamError('not-allowed', 'the explorer does not allow the request')
  // Blockscout's status 2: these transactions are not all processed yet.
  throw new UpstreamError('unavailable', 'the explorer has no answer')
}
