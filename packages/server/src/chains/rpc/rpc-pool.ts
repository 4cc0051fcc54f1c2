import { type Clock, monotonicTimer, systemClock, type Timer } from '../../lib/clock.ts'
import { createFailOver, type FailOver, type FailOverLimits } from '../../lib/fail-over.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { FINALITY } from '../chain.ts'
import type { Head, HeadBounds } from '../seen-block.ts'
import type { Capabilities } from './capabilities.ts'
import { OtherBlock, type ParseJson, type RpcRequest } from './json-rpc.ts'
import { type CallLimits, createRpcEndpoint, type RpcEndpoint, type RpcEvent } from './rpc-endpoint.ts'

/** Stays on the first endpoint that answers until it fails. */
export type RpcSession = {
  request<T>(request: RpcRequest<T>): Promise<T>
  /** On `UpstreamError` the work starts again at the next endpoint. */
  run: FailOver<RpcEndpoint>
  checkHead(endpoint: RpcEndpoint, head: Head): void
  hasFreeOther(endpoint: RpcEndpoint): boolean
}

export type RpcPool = {
  readonly chain: string
  readonly timer: Timer
  readonly finality: bigint
  session(): RpcSession
  /** Ignores failures. */
  prove(): Promise<void>
  askEach<T>(request: RpcRequest<T>): Promise<T[]>
  /** With a `problem`, the endpoint is not used. */
  endpoints(): { endpoint: string; problem: string | undefined }[]
  /** Seconds. */
  headAge(): number | undefined
  capabilities(): Capabilities[]
}

type RpcLimits = CallLimits & FailOverLimits

export type RpcPoolOptions = {
  chain: string
  urls: readonly string[]
  clock?: Clock
  timer?: Timer
  known?: readonly Partial<Capabilities>[]
  parseJson?: ParseJson
  batchSize?: number
  observe?: (event: RpcEvent) => void
  finality?: bigint
  proof?: ChainProof
  headBounds?: HeadBounds
  news?: ProofNews & HeadNews
  limits?: Partial<RpcLimits>
}

const limitsByDefault: RpcLimits = {
  timeoutMs: 4_000,
  scanTimeoutMs: 8_000,
  logTimeoutMs: 15_000,
  totalMs: 12_000,
  backoffMs: 100,
}

export function createRpcPool(options: RpcPoolOptions): RpcPool {
  const { chain, clock = systemClock, timer = monotonicTimer } = options
  const limits = { ...limitsByDefault, ...options.limits }
  const endpoints = options.urls.map((url, i) => {
    const known = { ...(options.batchSize && { batchSize: options.batchSize }), ...options.known?.[i] }
    return createRpcEndpoint({ ...options, label: `${chain}#${i + 1}`, url, clock, timer, limits, known })
  })
  const heads = createHeads(clock, options.headBounds, options.news)
  const proofs = createEndpointProofs(options.proof, options.news)
  const isFree = (endpoint: RpcEndpoint) =>
    endpoint.breaker.admits() && !endpoint.pace.isLimited() && proofs.problemOf(endpoint) === undefined

  function session(): RpcSession {
    const failOver = createFailOver({
      name: chain,
      timer,
      endpoints,
      limits,
      isBehind: heads.isSuspect,
      isFinal: (error) => error.reason === 'not-allowed' || error instanceof OtherBlock,
    })
    const run: RpcSession['run'] = (work) =>
      failOver(async (endpoint) => {
        const proof = proofs.prove(endpoint)
        if (proof) await proof
        return work(endpoint)
      })
    return {
      run,
      request: (request) => run((endpoint) => endpoint.request(request)),
      checkHead: heads.check,
      hasFreeOther: (endpoint) => endpoints.some((other) => other !== endpoint && isFree(other)),
    }
  }

  return {
    chain,
    timer,
    finality: options.finality ?? BigInt(FINALITY),
    session,
    async prove() {
      for (const endpoint of endpoints) await proofs.prove(endpoint)?.catch(() => undefined)
    },
    async askEach(request) {
      const admitted = endpoints.filter(({ breaker }) => breaker.admits())
      const answers = await Promise.allSettled(
        admitted.map(async (endpoint) => {
          await proofs.prove(endpoint)
          return endpoint.request(request)
        }),
      )
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    },
    endpoints: () => endpoints.map((endpoint) => ({ endpoint: endpoint.label, problem: proofs.problemOf(endpoint) })),
    headAge: heads.lastAge,
    capabilities: () => endpoints.map((endpoint) => ({ ...endpoint.capabilities })),
  }
}

/** Resolves to the mismatch, if any. Rejects with `UpstreamError`. */
export type ChainProof = (endpoint: RpcEndpoint) => Promise<string | undefined>

type ProofNews = {
  onWrong?(endpoint: string, problem: string): void
  onMended?(endpoint: string): void
}

/** Its URL may later lead to the right chain. */
const AGAIN_MS = 60_000

/** Another node may answer at the URL after the breaker opened. */
function createEndpointProofs(proof: ChainProof | undefined, { onWrong, onMended }: ProofNews = {}) {
  const proven = new WeakMap<RpcEndpoint, number>()
  const problems = new Map<RpcEndpoint, string>()
  const flights = createSingleFlight<void>()

  function prove(endpoint: RpcEndpoint): Promise<void> | undefined {
    if (!proof || proven.get(endpoint) === endpoint.breaker.openings()) return undefined
    return flights.run(endpoint.label, async () => {
      const openings = endpoint.breaker.openings()
      const problem = await proof(endpoint)
      if (problem !== undefined) throw refuse(endpoint, problem)
      if (problems.delete(endpoint)) onMended?.(endpoint.label)
      proven.set(endpoint, openings)
    })
  }

  function refuse(endpoint: RpcEndpoint, problem: string): UpstreamError {
    if (!problems.has(endpoint)) onWrong?.(endpoint.label, problem)
    problems.set(endpoint, problem)
    proven.delete(endpoint)
    endpoint.breaker.rest(AGAIN_MS)
    return new UpstreamError('unavailable', `${endpoint.label} is of another chain: ${problem}`)
  }

  return { prove, problemOf: (endpoint: RpcEndpoint) => problems.get(endpoint) }
}

type HeadNews = {
  onStale?(ageSeconds: number): void
  onAhead?(endpoint: string, aheadSeconds: number): void
}

const LAG_SECONDS = 45
const HEAD_VALID_MS = 120_000

function createHeads(clock: Clock, bounds: HeadBounds | undefined, { onStale, onAhead }: HeadNews = {}) {
  const seen = new Map<RpcEndpoint, Head & { at: number }>()
  const suspect = new Set<RpcEndpoint>()
  const ahead = new Set<RpcEndpoint>()
  let newest: { age: number; stale: boolean } | undefined

  /** Throws `UpstreamError` on a future head, or one far behind another endpoint's. */
  function check(endpoint: RpcEndpoint, head: Head): void {
    const age = clock.now() / 1000 - head.timestamp
    refuseFuture(endpoint, age)
    seen.set(endpoint, { ...head, at: clock.now() })
    if (isBehindOthers(endpoint, head)) {
      suspect.add(endpoint)
      throw new UpstreamError('unavailable', `${endpoint.label} is behind the other endpoints`)
    }
    noteAge(endpoint, age)
  }

  function refuseFuture(endpoint: RpcEndpoint, age: number): void {
    if (!bounds || -age <= bounds.mostAhead) {
      ahead.delete(endpoint)
      return
    }
    if (!ahead.has(endpoint)) onAhead?.(endpoint.label, Math.round(-age))
    ahead.add(endpoint)
    suspect.add(endpoint)
    seen.delete(endpoint)
    throw new UpstreamError('invalid', `${endpoint.label} shows a block of the future`)
  }

  function isBehindOthers(endpoint: RpcEndpoint, head: Head): boolean {
    return [...seen].some(
      ([other, known]) =>
        other !== endpoint &&
        clock.now() - known.at < HEAD_VALID_MS &&
        known.number > head.number &&
        known.timestamp - head.timestamp > LAG_SECONDS,
    )
  }

  /** A stale head is accepted: the chain itself may have stopped. */
  function noteAge(endpoint: RpcEndpoint, age: number): void {
    const stale = bounds !== undefined && age > bounds.mostBehind
    if (stale) suspect.add(endpoint)
    else suspect.delete(endpoint)
    if (stale && newest?.stale !== true) onStale?.(Math.round(age))
    newest = { age, stale }
  }

  return {
    check,
    isSuspect: (endpoint: RpcEndpoint) => suspect.has(endpoint),
    lastAge: () => newest?.age,
  }
}
