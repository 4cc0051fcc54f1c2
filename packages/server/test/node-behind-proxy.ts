import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type LocalNode, startLocalNode } from './local-node.ts'
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts'

/** For the tests of a file. The proxy forgets its calls and rules before each. */
export function nodeBehindProxy(prepare: (node: LocalNode, proxy: RpcProxy) => Promise<unknown>): void {
  let node: LocalNode
  let proxy: RpcProxy
  beforeAll(async () => {
    node = await startLocalNode()
    proxy = await startRpcProxy(node.url)
    await prepare(node, proxy)
  })
  afterAll(async () => {
    await proxy?.stop()
    await node?.stop()
  })
  beforeEach(() => proxy.reset())
}
