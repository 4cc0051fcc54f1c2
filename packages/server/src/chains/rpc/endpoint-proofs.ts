import { createSingleFlight } from '../../lib/single-flight.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'

/** Resolves to the mismatch, if any. Rejects with `UpstreamError`. */
export type ChainProof = (endpoint: RpcEndpoint) => Promise<string | undefined>

export type ProofNews = {
  onWrong?(endpoint: string, problem: string): void
  onMended?(endpoint: string): void
}

/** Its URL may later lead to the right chain. */
const AGAIN_MS = 60_000

/** Another node may answer at the URL after the breaker opened. */
export function createEndpointProofs(proof: ChainProof | undefined, { onWrong, onMended }: ProofNews = {}) {
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
