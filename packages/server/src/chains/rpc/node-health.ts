import type { Clock } from '../../lib/clock.ts'
import type { RpcEvent } from './rpc-endpoint.ts'

export type NodeHealth = {
  requests: number
  failures: number
  failuresInARow: number
  latencyMs: number | null
  lastFailure: { reason: string; at: number } | null
}

/** About twenty answers count. */
const NEWEST = 0.1
const UNKNOWN: NodeHealth = { requests: 0, failures: 0, failuresInARow: 0, latencyMs: null, lastFailure: null }

export function createNodeHealth(clock: Clock) {
  const byEndpoint = new Map<string, NodeHealth>()
  return {
    observe({ endpoint, outcome, durationMs }: RpcEvent): void {
      const health = byEndpoint.get(endpoint) ?? { ...UNKNOWN }
      byEndpoint.set(endpoint, health)
      health.requests += 1
      if (outcome === 'ok' || outcome === 'refused') {
        health.failuresInARow = 0
        health.latencyMs =
          health.latencyMs === null ? durationMs : health.latencyMs + NEWEST * (durationMs - health.latencyMs)
      } else {
        health.failures += 1
        health.failuresInARow += 1
        health.lastFailure = { reason: outcome, at: clock.now() }
      }
    },
    of: (endpoint: string): NodeHealth => byEndpoint.get(endpoint) ?? UNKNOWN,
  }
}
