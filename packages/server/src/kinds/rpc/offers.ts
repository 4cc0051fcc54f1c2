import type { Clock } from '../../lib/clock.ts'
import { UpstreamError, upstreamOnly } from '../../lib/upstream-error.ts'
import type { Capabilities } from './capabilities.ts'
import { HttpRefusal, lacksBlock, RpcRefusal, type RpcRequest } from './json-rpc.ts'
import { asItCame } from './request-each.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

/** A refusal may be temporary, whatever its text says, so the first pause is short. Repeated refusals double it. */
const FIRST_PAUSE_MS = 10 * 60_000
const LONGEST_PAUSE_MS = 6 * 3_600_000

type Learner = { label: string; capabilities: Capabilities; clock: Clock }

/** The endpoint does not offer a method, as it has shown before or just now. Another endpoint may. */
export class NotOffered extends UpstreamError {
  /** Name of the method, and what it is not offered for. */
  readonly what: string

  constructor({ label }: Pick<Learner, 'label'>, what: string, cause?: UpstreamError) {
    super('not-allowed', cause?.message ?? `${label} does not offer ${what}`, { cause })
    this.what = what
  }
}

/** Whether a method may be requested: no recent refusal is in effect. */
export function offers({ capabilities, clock }: Learner, method: string): boolean {
  return (capabilities.refused[method]?.until ?? 0) <= clock.now()
}

/** Remembers a method that was refused regardless of its parameters. The pause doubles with each refusal in a row. */
export function noteRefused({ capabilities, clock }: Learner, method: string): void {
  const now = clock.now()
  const last = capabilities.refused[method]
  // Refusals of requests sent before the first refusal came do not count again.
  if (last && now < last.until) return
  const isInARow = last !== undefined && now - last.until <= last.pause
  const pause = isInARow ? Math.min(2 * last.pause, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS
  capabilities.refused[method] = { until: now + pause, pause }
}

/** A method that has just answered a neutral request is not tested again for so long. */
const ANSWERED_MS = 60_000

/**
 * Remembers a refused method only if the endpoint refuses `neutral` as well: a request of the same kind about something
 * that no caller asked for. Otherwise the refusal concerns the wallet, block or account, and others are served.
 */
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

/** HTTP statuses of gateways that refuse a method which they do not offer, without JSON-RPC. */
const NOT_OFFERED_STATUSES: ReadonlySet<number> = new Set([401, 403, 404, 405, 501])

/** Words of plans without traces, which may share a message with those about old states. */
const ABOUT_METHODS = /\b(trace|debug)\b/i

/** Whether a refusal of an optional method (traces, receipts of a block) means that the endpoint does not offer it at all. */
export function isNotOffered(error: unknown): error is UpstreamError {
  if (error instanceof HttpRefusal) return NOT_OFFERED_STATUSES.has(error.status)
  if (!(error instanceof RpcRefusal) || error.kind === 'rate-limited' || error.kind === 'behind') return false
  // A missing block cannot be traced, but others can.
  return !lacksBlock(error) || error.says(ABOUT_METHODS) !== null
}

/**
 * Sends a request (`what`) that not every endpoint offers. Rejects with `NotOffered` if it is refused as unknown or not
 * allowed; if `neutral` is refused as well, also for a while afterwards without a request.
 */
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

/** Asks an optional method about a block, its first parameter; undefined where it is not offered, or not for this block. */
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
