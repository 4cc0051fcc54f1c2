import type { Fault, RpcCall, Rule } from './rpc-proxy.ts'

/** How a gateway or client refuses, as its documentation or source has it. */
export type Gateway = {
  name: string
  /** Of a chain whose newest block is `head`. */
  rules(head: bigint): readonly Rule[]
}

type Refusal = { code: number; message: string }

const refuse = (error: Refusal, status = 200): Fault => ({ error, ...(status !== 200 && { status }) })
const asks =
  (...methods: readonly string[]) =>
  ({ method }: RpcCall) =>
    methods.includes(method)
const asksLogs = asks('eth_getLogs')

type Filter = { fromBlock: string; toBlock: string; address?: unknown }
const filterOf = ({ params }: RpcCall) => params[0] as Filter
export const widthOf = (call: RpcCall) => BigInt(filterOf(call).toBlock) - BigInt(filterOf(call).fromBlock) + 1n

/** Gateways that answer no search of logs by topics alone. */
export const gatewaysWithoutLogs: readonly Gateway[] = [
  {
    name: 'BNB Chain’s public endpoints',
    rules: () => [{ when: asksLogs, fault: refuse({ code: -32005, message: 'limit exceeded' }) }],
  },
  {
    name: 'publicnode, without an address',
    rules: () => [
      {
        when: (call) => asksLogs(call) && filterOf(call).address === undefined,
        fault: refuse({
          code: -32701,
          message: 'Please specify an address in your request or, to remove restrictions',
        }),
      },
    ],
  },
]

/** A node that has dropped the history of all but the newest blocks (EIP-4444). */
export const expiredHistory: Gateway = {
  name: 'geth, reth, Nethermind with expired history',
  rules: (head) => [
    {
      when: (call) => asksLogs(call) && BigInt(filterOf(call).fromBlock) < head - 100n,
      fault: refuse({ code: 4444, message: 'pruned history unavailable' }),
    },
  ],
}

/** So many requests a second; what is beyond is refused, and does not count. */
function atMost(perSecond: number, fault: Fault): Gateway['rules'] {
  return () => {
    let answered: number[] = []
    const isTooMany = () => {
      const now = performance.now()
      answered = answered.filter((at) => now - at < 1_000)
      if (answered.length >= perSecond) return true
      answered.push(now)
      return false
    }
    return [{ when: isTooMany, fault }]
  }
}

/** Limits of requests a second, in each gateway's words. */
export const limitedGateways: readonly Gateway[] = [
  {
    name: 'Infura, 8 a second',
    rules: atMost(8, refuse({ code: -32005, message: 'project ID request rate exceeded' }, 429)),
  },
  {
    name: 'QuickNode, 15 a second',
    rules: atMost(15, refuse({ code: -32007, message: '15/second request limit reached' }, 429)),
  },
  {
    name: 'a page of Cloudflare, 15 a second, that says when to come back',
    rules: atMost(15, { raw: { status: 429, body: '<html>error code: 1015</html>', headers: { 'retry-after': '1' } } }),
  },
]

const html = (status: number): Fault => ({ raw: { status, body: '<html><body>Forbidden</body></html>' } })

/** Gateways that refuse batches by a page of HTML. */
export const gatewaysWithoutBatches = (isBatch: (call: RpcCall) => boolean): readonly Gateway[] => [
  { name: 'batches refused by 403', rules: () => [{ when: isBatch, fault: html(403) }] },
  { name: 'batches refused by 400', rules: () => [{ when: isBatch, fault: html(400) }] },
]

const isOfPast =
  (head: bigint) =>
  ({ method, params }: RpcCall) => {
    if (!/^eth_(call|getBalance|getCode|getTransactionCount)$/.test(method)) return false
    const tag = params[1]
    return typeof tag === 'string' && tag.startsWith('0x') && BigInt(tag) < head - 64n
  }

const PRUNED = [
  { name: 'geth', code: -32000, message: 'missing trie node 1a2b (path ) state 0x12 is not available' },
  { name: 'reth', code: -32603, message: 'state at block #12 is pruned' },
  { name: 'Nethermind', code: -32002, message: 'No state available for block 0x1f4a' },
  { name: 'Besu', code: -32000, message: 'World state unavailable' },
  { name: 'Erigon', code: -32000, message: 'history has been pruned for this block' },
  { name: 'words of no known client', code: -32000, message: 'sorry' },
]

/** Nodes that keep the newest states alone, and trace nothing; of the first the gateway says so by a page of HTML. */
export const prunedGateways: readonly Gateway[] = [
  {
    name: 'traces refused by 403',
    rules: (head) => [
      { when: isOfPast(head), fault: { error: { code: -32000, message: 'missing trie node 1a2b (path )' } } },
      { when: ({ method }) => /^(trace|debug)_/.test(method), fault: html(403) },
    ],
  },
  ...PRUNED.map(prunedNode),
]

function prunedNode({ name, ...error }: Refusal & { name: string }): Gateway {
  const rules: Gateway['rules'] = (head) => [
    { when: isOfPast(head), fault: { error } },
    {
      when: ({ method }) => /^(trace|debug)_/.test(method),
      fault: { error: { code: -32601, message: 'the method does not exist/is not available' } },
    },
  ]
  return { name, rules }
}
