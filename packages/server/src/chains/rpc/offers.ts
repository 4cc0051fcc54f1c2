import type { Clock } from '../../lib/clock.ts'
import { UpstreamError, upstreamOnly } from '../../lib/upstream-error.ts'
import type { Capabilities } from './capabilities.ts'
import { asItCame, HttpRefusal, lacksBlock, RpcRefusal, type RpcRequest } from './json-rpc.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

/** A refusal may be temporary whatever its text says. Repeated refusals double the pause. */
const FIRST_PAUSE_MS = 10 * 60_000
const LONGEST_PAUSE_MS = 6 * 3_600_000

type Learner = { label: string; capabilities: Capabilities; clock: Clock }

export class NotOffered extends UpstreamError {
  readonly what: string

  constructor({ label }: Learner, what: string, cause?: UpstreamError) {
    super('not-allowed', cause?.message ?? `${label} does not offer ${what}`, { cause })
    this.what = what
  }
}

export function offers({ capabilities, clock }: Learner, method: string): boolean {
  return (capabilities.refused[method]?.until ?? 0) <= clock.now()
}

export function noteRefused({ capabilities, clock }: Learner, method: string): void {
  const now = clock.now()
  const last = capabilities.refused[method]
  // Refusals of requests sent earlier do not count again.
  if (last && now < last.until) return
  const isInARow = last !== undefined && now - last.until <= last.pause
  const pause = isInARow ? Math.min(2 * last.pause, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS
  capabilities.refused[method] = { until: now + pause, pause }
}

const ANSWERED_MS = 60_000

/** A refusal of `neutral`, which concerns no caller, proves that the method is missing. */
export async function noteIfRefused(
  endpoint: Learner,
  method: string,
  isRefusal: (error: unknown) => boolean,
  neutral: () => Promise<unknown>,
): Promise<void> {
  const { answered } = endpoint.capabilities
  if (endpoint.clock.now() < (answered[method] ?? 0)) return
  try {
    await neutral()
    answered[method] = endpoint.clock.now() + ANSWERED_MS
  } catch (error) {
    if (isRefusal(error)) noteRefused(endpoint, method)
    else upstreamOnly(error)
  }
}

const NOT_OFFERED_STATUSES: ReadonlySet<number> = new Set([401, 403, 404, 405, 501])

/** Messages about plans without traces may also mention old states. */
const ABOUT_METHODS = /\b(trace|debug)\b/i

export function isNotOffered(error: unknown): error is UpstreamError {
  if (error instanceof HttpRefusal) return NOT_OFFERED_STATUSES.has(error.status)
  if (!(error instanceof RpcRefusal) || error.kind === 'rate-limited' || error.kind === 'behind') return false
  return !lacksBlock(error) || error.says(ABOUT_METHODS) !== null
}

/** Rejects with `NotOffered`: for a while without a request if `neutral` is refused too. */
export async function unlessNotOffered<T>(
  endpoint: RpcEndpoint,
  what: string,
  ask: () => Promise<T>,
  neutral: () => Promise<unknown>,
): Promise<T> {
  if (!offers(endpoint, what)) throw new NotOffered(endpoint, what)
  return ask().catch(async (error: unknown) => {
    if (!isUnsupported(error)) throw error
    await noteIfRefused(endpoint, what, isUnsupported, neutral)
    throw new NotOffered(endpoint, what)
  })
}

function isUnsupported(error: unknown): boolean {
  if (error instanceof HttpRefusal) return NOT_OFFERED_STATUSES.has(error.status)
  return error instanceof RpcRefusal && error.kind === 'unsupported'
}

export async function ifOffered<T>(endpoint: RpcEndpoint, request: RpcRequest<T>): Promise<T | undefined> {
  const { method, params } = request
  if (!offers(endpoint, method)) return undefined
  try {
    return await endpoint.request(request)
  } catch (error) {
    const newest = { ...request, params: ['latest', ...params.slice(1)], parse: asItCame }
    if (isNotOffered(error)) await noteIfRefused(endpoint, method, isNotOffered, () => endpoint.request(newest))
    else if (!lacksBlock(error)) throw error
    return undefined
  }
}
