import { createSingleFlight } from '../../lib/single-flight.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

/** How an endpoint proves that it is of the chain it is configured for. */
export type ChainProof = {
  /** What the endpoint shows that is not this chain's; absent when all is right. Rejects with `UpstreamError`. */
  findMismatch(endpoint: RpcEndpoint): Promise<string | undefined>
}

export type ProofNews = {
  /** Called once, until the endpoint has proved itself. */
  onWrong?(endpoint: string, problem: string): void
  onMended?(endpoint: string): void
}

/** After this an endpoint of another chain is asked again: what is behind its URL may have been put right. */
const AGAIN_MS = 60_000

export type EndpointProofs = ReturnType<typeof createEndpointProofs>

/**
 * Keeps endpoints from being asked before they have proved their chain, and again whenever their breaker has opened: what
 * comes back at the same URL may be another node.
 */
export function createEndpointProofs(proof: ChainProof | undefined, { onWrong, onMended }: ProofNews = {}) {
  /** By endpoint, how often its breaker had opened when it proved itself. */
  const proven = new WeakMap<RpcEndpoint, number>()
  const problems = new Map<RpcEndpoint, string>()
  const flights = createSingleFlight<void>()

  const isProven = (endpoint: RpcEndpoint) => !proof || proven.get(endpoint) === endpoint.breaker.openings()

  /** Resolves when the endpoint may be asked; `undefined` where it may be asked at once. Rejects with `UpstreamError`. */
  function prove(endpoint: RpcEndpoint): Promise<void> | undefined {
    if (!proof || isProven(endpoint)) return undefined
    return flights.run(endpoint.label, async () => {
      const openings = endpoint.breaker.openings()
      const problem = await proof.findMismatch(endpoint)
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
