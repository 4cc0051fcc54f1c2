import { createSingleFlight } from '../../lib/single-flight.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

/** How an endpoint proves that it is of the chain it is configured for. */
export type ChainProof = {
  /** How the endpoint differs from this chain; undefined if it matches. Rejects with `UpstreamError`. */
  findMismatch(endpoint: RpcEndpoint): Promise<string | undefined>
}

export type ProofNews = {
  /** Called once until the endpoint has proved its chain. */
  onWrong?(endpoint: string, problem: string): void
  onMended?(endpoint: string): void
}

/** Delay until an endpoint of another chain is asked again: its URL may now lead to the right one. */
const AGAIN_MS = 60_000

export type EndpointProofs = ReturnType<typeof createEndpointProofs>

/**
 * Makes endpoints prove their chain before they are used, and again after their breaker has opened: another node may
 * then answer at the same URL.
 */
export function createEndpointProofs(proof: ChainProof | undefined, { onWrong, onMended }: ProofNews = {}) {
  /** Breaker openings of each endpoint when it last proved its chain. */
  const proven = new WeakMap<RpcEndpoint, number>()
  const problems = new Map<RpcEndpoint, string>()
  const flights = createSingleFlight<void>()

  const isProven = (endpoint: RpcEndpoint) => !proof || proven.get(endpoint) === endpoint.breaker.openings()

  /**
   * Resolves when the endpoint has proved its chain; `undefined` if there is nothing to prove. Rejects with
   * `UpstreamError`.
   */
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
