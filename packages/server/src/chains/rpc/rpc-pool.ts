import { type Clock, monotonicTimer, systemClock, type Timer } from '../../lib/clock.ts'
import { createFailOver, type FailOver, type FailOverLimits } from '../../lib/fail-over.ts'
import type { UpstreamError } from '../../lib/upstream-error.ts'
import { FINALITY } from '../chain.ts'
import type { Head, HeadBounds } from '../seen-block.ts'
import type { Capabilities } from './capabilities.ts'
import { type ChainProof, createEndpointProofs, type ProofNews } from './endpoint-proofs.ts'
import { createHeads, type HeadNews } from './heads.ts'
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
    const failOver = createFailOver({ name: chain, timer, endpoints, limits, isBehind: heads.isSuspect, isFinal })
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

const isFinal = (error: UpstreamError) => error.reason === 'not-allowed' || error instanceof OtherBlock
