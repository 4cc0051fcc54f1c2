import type { Secret } from '../../lib/secret.ts'
import { createRpcPool, type RpcPool, type RpcPoolOptions } from './rpc-pool.ts'

/** Creates a pool per chain key. The endpoints of a chain are in the order of preference. */
export function createRpcPools(
  endpoints: ReadonlyMap<string, readonly Secret[]>,
  options: Pick<RpcPoolOptions, 'clock' | 'timer' | 'observe'> & {
    /** What is particular to a chain. */
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
