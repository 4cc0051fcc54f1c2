import { beforeEach } from 'vitest'
import { type LocalNode, startLocalNode } from './local-node.ts'
import { startRpcProxy } from './rpc-proxy.ts'
import { started } from './started.ts'

/** For the file that starts them, at its top. The proxy forgets its calls and rules before each test. */
export async function nodeBehindProxy(start: () => Promise<LocalNode> = startLocalNode) {
  const node = await started(start())
  return { node, proxy: await proxyBefore(node) }
}

/** Stops before the node, which started earlier. */
export async function proxyBefore({ url }: { url: string }) {
  const proxy = await started(startRpcProxy(url))
  beforeEach(() => proxy.reset())
  return proxy
}
