import { type CircuitBreaker, createCircuitBreaker, type Departure } from '../lib/circuit-breaker.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { createFailOver, type FailOver, type FailOverLimits } from '../lib/fail-over.ts'
import { type HttpResponse, httpRequest, retryAfterMs } from '../lib/http-client.ts'
import { createKept } from '../lib/kept.ts'
import { UpstreamError, type UpstreamReason } from '../lib/upstream-error.ts'
import { type BeaconAnswer, type BeaconRequest, isFields, NoHistory } from './beacon-request.ts'
import { syncingRequest } from './network-requests.ts'

/** `outcome`: `ok`, `refused`, or the failure's reason. */
export type BeaconEvent = { chain: 'beacon'; endpoint: string; outcome: string }

export type BeaconNode = {
  /** `beacon#1`: hides the URL, which may hold a key. */
  readonly label: string
  readonly breaker: CircuitBreaker
  request<T>(request: BeaconRequest<T>): Promise<T>
}

type NodeLimits = {
  timeoutMs: number
  /** For past states, which a node may have to recompute. */
  pastTimeoutMs: number
}

/** Committees of a million validators take 11 MB. */
const MAX_ANSWER_BYTES = 64_000_000
/** HTTP statuses for a state that the node dropped. */
const NO_HISTORY = [400, 404, 410, 500]

const REASONS: Readonly<Record<number, UpstreamReason>> = {
  400: 'not-allowed',
  401: 'not-allowed',
  403: 'not-allowed',
  404: 'not-allowed',
  405: 'not-allowed',
  429: 'rate-limited',
  501: 'not-allowed',
}

/** The node may serve other calls. */
class Refused extends UpstreamError {}

function createBeaconNode(
  label: string,
  url: string,
  limits: NodeLimits,
  clock: Clock,
  observe?: (event: BeaconEvent) => void,
): BeaconNode {
  const breaker = createCircuitBreaker(clock)
  const root = url.replace(/\/+$/, '')

  async function send<T>({ path, body, past, maxBytes }: BeaconRequest<T>): Promise<HttpResponse> {
    return await httpRequest({
      url: withPath(root, path),
      headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      timeoutMs: past ? limits.pastTimeoutMs : limits.timeoutMs,
      maxBytes: maxBytes ?? MAX_ANSWER_BYTES,
    })
  }

  async function request<T>(wanted: BeaconRequest<T>): Promise<T> {
    const note = (outcome: string) => observe?.({ chain: 'beacon', endpoint: label, outcome })
    let response: HttpResponse | undefined
    const departure = breaker.begin()
    try {
      response = await send(wanted)
      const result = read(wanted, response)
      breaker.succeed()
      note('ok')
      return result
    } catch (error) {
      record(breaker, error, { response, departure })
      if (error instanceof UpstreamError) note(isNo(error) ? 'refused' : error.reason)
      throw error
    }
  }

  return { label, breaker, request }
}

const isNo = (error: unknown): boolean => error instanceof Refused || error instanceof NoHistory

function record(
  breaker: CircuitBreaker,
  error: unknown,
  { response, departure }: { response: HttpResponse | undefined; departure: Departure },
): void {
  if (!(error instanceof UpstreamError) || isNo(error)) breaker.succeed()
  else if (error.reason === 'rate-limited') breaker.rest(retryAfterMs(response))
  else breaker.fail(departure)
}

/** Keeps the query of the operator's URL, such as a key. */
function withPath(root: string, path: string): string {
  const url = URL.parse(root)
  if (!url?.search) return root + path
  const [pathname, query] = path.split('?')
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  return `${base}${pathname}${url.search}${query === undefined ? '' : `&${query}`}`
}

function read<T>(request: BeaconRequest<T>, { status, body }: HttpResponse): T {
  if (status === 200) {
    const answer = parseAnswer(body)
    if (!answer) throw new UpstreamError('invalid', `${request.name}: HTTP 200 without a beacon node's answer`)
    return request.parse(answer)
  }
  if (request.notFound && (request.notFoundOn ?? [404]).includes(status)) return request.notFound()
  if (request.past && NO_HISTORY.includes(status)) throw new NoHistory(`${request.name} (HTTP ${status})`)
  const reason = REASONS[status] ?? 'unavailable'
  const message = `${request.name}: HTTP ${status} of a beacon node`
  throw reason === 'not-allowed' ? new Refused(reason, message) : new UpstreamError(reason, message)
}

function parseAnswer(body: string): BeaconAnswer | undefined {
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch {
    return undefined
  }
  return isFields(answer) && 'data' in answer ? { data: answer['data'] } : undefined
}

export type BeaconPool = ReturnType<typeof createBeaconPool>

type Limits = NodeLimits & FailOverLimits

const limitsByDefault: Limits = { timeoutMs: 5_000, pastTimeoutMs: 60_000, totalMs: 120_000, backoffMs: 100 }

export function createBeaconPool({
  urls,
  clock = systemClock,
  observe,
  limits: chosen,
}: {
  urls: readonly string[]
  clock?: Clock
  observe?: (event: BeaconEvent) => void
  limits?: Partial<Limits>
}) {
  const limits = { ...limitsByDefault, ...chosen }
  const endpoints = urls.map((url, i) => createBeaconNode(`beacon#${i + 1}`, url, limits, clock, observe))
  /** Stays on the node that answered first. */
  const session = (): FailOver<BeaconNode> =>
    createFailOver({
      name: 'the beacon chain',
      endpoints,
      limits,
      isFinal: (error) => error.reason === 'not-allowed' || error instanceof NoHistory,
    })
  /** Restarts the work at the next node on `UpstreamError`. */
  const run: FailOver<BeaconNode> = (work) => session()(work)
  const request = <T>(wanted: BeaconRequest<T>): Promise<T> => run((node) => node.request(wanted))
  return { session, run, request }
}

const BELIEVED_MS = 30_000
const MOST_BEHIND_SLOTS = 32

export function createCheckFresh(clock: Clock) {
  const checked = createKept<number>({ clock, freshMs: BELIEVED_MS })
  /** Returns the slots behind. */
  return (node: BeaconNode) =>
    checked.get(node.label, async () => {
      const { isSyncing, behindSlots } = await node.request(syncingRequest)
      if (!isSyncing || behindSlots <= MOST_BEHIND_SLOTS) return behindSlots
      throw new UpstreamError('unavailable', `${node.label} is ${behindSlots} slots behind`)
    })
}
