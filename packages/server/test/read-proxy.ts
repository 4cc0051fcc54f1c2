import { type RpcCall, type RpcProxy, startRpcProxy } from './rpc-proxy.ts'

/** A proxy that counts reads of wallets alone. `countAnew` forgets what was counted; searches find nothing from then on. */
export type ReadProxy = RpcProxy & { countAnew(): void }

/**
 * The search for unlisted tokens goes on behind the answer and is told apart by what it asks. It compares blocks that it saw
 * before by their numbers; a read asks for a block by its number only with a wave, before its call or beside it.
 */
const isSearch = ({ method, params }: RpcCall) =>
  method === 'eth_getLogs' ||
  method === 'eth_blockNumber' ||
  (method === 'eth_getBlockByNumber' && params[0] !== 'latest')

export async function startReadProxy(target: string): Promise<ReadProxy> {
  const proxy = await startRpcProxy(target, { counts: (call) => !isSearch(call) })
  function countAnew(): void {
    proxy.reset()
    // What is found would be read at once, in requests that look like those of a wallet's read.
    const answer = (envelope: Record<string, unknown>) => ({ ...envelope, result: [] })
    proxy.add({ when: ({ method }) => method === 'eth_getLogs', fault: { answer } })
  }
  countAnew()
  return { ...proxy, countAnew }
}
