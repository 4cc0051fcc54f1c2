import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { findChain } from '../../chain-catalog.ts'
import { chains } from '../../kinds.ts'
import { createRpcPool } from '../../rpc/rpc-pool.ts'
import type { DiscoveryStore } from '../../stores.ts'
import { createDiscovery } from './discovery.ts'
import { searchedKeys } from './wallet-keys.ts'

const wallet = '0x00000000000000000000000000000000000000ff'
const ethereum = findChain('ethereum', chains) ?? expect.fail('no such chain')

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** One request that a caller waits for is sent this often before it fails. */
const REFUSED = 2

/** A node without logs that refuses the first requests for blocks, for asking too often. */
async function startNode(): Promise<string> {
  let refused = 0
  const results: Record<string, unknown> = {
    eth_getBlockByNumber: {
      number: '0x10',
      timestamp: '0x1',
      hash: `0x${'ab'.repeat(32)}`,
      parentHash: `0x${'cd'.repeat(32)}`,
    },
    eth_blockNumber: '0x10',
    eth_getLogs: [],
  }
  const node = createServer(async (request, response) => {
    const { id, method } = (await json(request)) as { id: number; method: string }
    if (method === 'eth_getBlockByNumber' && refused < REFUSED) {
      refused += 1
      return void response.writeHead(429).end()
    }
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }))
  })
  server = node
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(node.address() as AddressInfo).port}`
}

test('a search up to a block whose hash is not known waits where the node asks for fewer requests', {
  timeout: 60_000,
}, async () => {
  const pool = createRpcPool({
    ...{ chain: 'ethereum', urls: [await startNode()], clock: { now: () => Date.now() } },
    limits: { timeoutMs: 5_000, backoffMs: 1 },
  })
  const saved: unknown[] = []
  const store: DiscoveryStore = {
    begin: async () => ({ covered: [], isAnew: false }),
    findTokens: async () => [],
    findKeys: async () => ({ keys: [], cut: new Set() }),
    save: async (_of, found) => void saved.push(found),
  }
  const pools = new Map([['ethereum', pool]])
  const discovery = createDiscovery({
    store,
    pools,
    recognise: async () => undefined,
    keysToSearch: () => searchedKeys([]),
  })
  const ended = await discovery.advanceTo(ethereum, wallet, { block: 16n, hash: null })
  expect(ended).toEqual({ found: false, end: 'whole', isAnew: false })
  expect(saved).toEqual([{ tokens: [], keys: [], covered: [{ fromBlock: 0n, toBlock: 16n }] }])
})
