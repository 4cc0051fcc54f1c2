import type { RpcProxy } from '../rpc-proxy.ts'

/** Infinity if no read began after the proxy's reset. */
export function tripsOfRead(proxy: RpcProxy): number {
  const began = proxy.calls().some(({ method }) => method === 'getTokenAccountsByOwner')
  return began ? proxy.trips() : Number.POSITIVE_INFINITY
}
