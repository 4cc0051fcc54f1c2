import type { Secret } from '../../lib/secret.ts'
import { createRpcPool, type RpcPool, type RpcPoolOptions } from './rpc-pool.ts'

export function createRpcPools(
  endpoints: ReadonlyMap<string, readonly Secret[]>,
  options: Pick<RpcPoolOptions, 'clock' | 'timer' | 'observe'> & {
    of?(chain: string): Partial<RpcPoolOptions>
  } = {},
): ReadonlyMap<string, RpcPool> {
  const { of, ...rest } = options
  const pools = [...endpoints].map(([chain, urls]): [string, RpcPool] => [
    chain,
    createRpcPool({ chain, urls: urls.map((url) => url.reveal()), ...rest, ...of?.(chain) }),
  ])
  return new Map(pools)
}
