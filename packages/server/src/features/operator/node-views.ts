import type { ChainNodes } from '@coffer/contract/portal'
import type { Chain } from '../../chains/chain.ts'
import type { NodeHealth } from '../../chains/rpc/node-health.ts'
import type { RpcPool } from '../../chains/rpc/rpc-pool.ts'
import { hostOf, type Secret } from '../../lib/secret.ts'

export function viewNodes({
  enabled,
  pools,
  endpoints,
  nodes,
}: {
  enabled: readonly Chain[]
  pools: ReadonlyMap<string, Pick<RpcPool, 'endpoints' | 'headAge'>>
  endpoints: ReadonlyMap<string, readonly Secret[]>
  nodes: { of(endpoint: string): NodeHealth }
}): ChainNodes[] {
  return enabled.map(({ key, name }) => {
    const pool = pools.get(key)
    const urls = endpoints.get(key) ?? []
    const age = pool?.headAge()
    return {
      chain: key,
      name,
      headAgeSeconds: age === undefined ? null : Math.max(0, Math.round(age)),
      endpoints: (pool?.endpoints() ?? []).map(({ endpoint, problem }, index) => {
        const { latencyMs, lastFailure, ...counts } = nodes.of(endpoint)
        const url = urls[index]
        return {
          endpoint,
          host: url ? hostOf(url) : '',
          problem: problem ?? null,
          ...counts,
          latencyMs: latencyMs === null ? null : Math.round(latencyMs),
          lastFailure: lastFailure && { reason: lastFailure.reason, at: new Date(lastFailure.at).toISOString() },
        }
      }),
    }
  })
}
