import type { RpcProxy } from '../rpc-proxy.ts'

/** Trips of a read of a Solana wallet that began after the proxy was reset; without end where none did. */
export function tripsOfRead(proxy: RpcProxy): number {
  const began = proxy.calls().some(({ method }) => method === 'getTokenAccountsByOwner')
  return began ? proxy.trips() : Number.POSITIVE_INFINITY
}
