import { type RpcCall, type RpcProxy, startRpcProxy } from './rpc-proxy.ts'

/** Counts only reads of wallets. `countAnew` resets counts and stops finds of searches. */
export type ReadProxy = RpcProxy & { countAnew(): void }

/**
 * Tells the background search by its requests. It compares known blocks by number; a read does so only with a batch,
 * before its call or next to it.
 */
const isSearch = ({ method, params }: RpcCall) =>
  method === 'eth_getLogs' ||
  method === 'eth_blockNumber' ||
  (method === 'eth_getBlockByNumber' && params[0] !== 'latest')

export async function startReadProxy(target: string): Promise<ReadProxy> {
  const proxy = await startRpcProxy(target, { counts: (call) => !isSearch(call) })
  function countAnew(): void {
    proxy.reset()
    // A find would be read at once, in requests like those of a wallet's read.
    const answer = (envelope: Record<string, unknown>) => ({ ...envelope, result: [] })
    proxy.add({ when: ({ method }) => method === 'eth_getLogs', fault: { answer } })
  }
  countAnew()
  return { ...proxy, countAnew }
}
