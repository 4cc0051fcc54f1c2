import type { Timer } from '../src/lib/clock.ts'
import { type Fault, type RpcCall, type Rule, raw, refusal } from './rpc-proxy.ts'

/** `docs/nodes.md` defines the words. */
export type Feature = 'portfolio' | 'transactions' | 'new blocks' | 'approvals' | 'a past day'
export type Cell = 'whole' | 'said' | 'refused'
export const FEATURES: readonly Feature[] = ['portfolio', 'transactions', 'new blocks', 'approvals', 'a past day']

/** Refusals from documentation, source or user reports. */
export type Gateway = {
  name: string
  /** In the order of `FEATURES`. */
  cells: readonly Cell[]
  /** `head`: the chain's newest block. */
  rules(node: { head: bigint; timer: Timer; isBatch(call: RpcCall): boolean }): readonly Rule[]
}

const page = (status: number, headers?: Record<string, string>): Fault =>
  raw(status, '<html><body>Forbidden</body></html>', headers)
const asks =
  (...methods: readonly string[]) =>
  ({ method }: RpcCall) =>
    methods.includes(method)
const asksLogs = asks('eth_getLogs')
const asksTraces = ({ method }: RpcCall) => /^(trace|debug)_/.test(method)

type Filter = { fromBlock: string; toBlock: string; address?: unknown }
const filterOf = ({ params }: RpcCall) => params[0] as Filter
const widthOf = (call: RpcCall) => BigInt(filterOf(call).toBlock) - BigInt(filterOf(call).fromBlock) + 1n

const ALL_WHOLE = ['whole', 'whole', 'whole', 'whole', 'whole'] as const
const NO_LOGS = ['said', 'said', 'said', 'refused', 'said'] as const
const NO_PAST = ['whole', 'said', 'whole', 'whole', 'refused'] as const

/** Refuse log searches by topics alone. */
const withoutLogs: readonly Gateway[] = [
  logsBy('BNB Chain’s public endpoints', refusal(-32005, 'limit exceeded')),
  logsBy(
    'publicnode, without an address',
    refusal(-32701, 'Please specify an address in your request or, to remove restrictions'),
    (call) => filterOf(call).address === undefined,
  ),
  logsBy('a node without `eth_getLogs`', refusal(-32601, 'the method does not exist/is not available')),
  logsBy('logs refused by a page with 200', page(200)),
  logsBy('logs refused by a page with 403', page(403)),
]

function logsBy(name: string, fault: Fault, isRefused: (call: RpcCall) => boolean = () => true): Gateway {
  return { name, cells: NO_LOGS, rules: () => [{ when: (call) => asksLogs(call) && isRefused(call), fault }] }
}

/** Keeps the history of the newest blocks only (EIP-4444). */
const expiredHistory: Gateway = {
  name: 'geth, reth, Nethermind with expired history',
  cells: ['said', 'said', 'whole', 'refused', 'said'],
  rules: ({ head }) => [
    {
      when: (call) => asksLogs(call) && BigInt(filterOf(call).fromBlock) < head - 100n,
      fault: refusal(4444, 'pruned history unavailable'),
    },
  ],
}

/** Limits blocks of logs per request: fewer than documented, as the local chain is short. */
const narrow: readonly Gateway[] = [
  rangesOf('Alchemy, free: 10 blocks', 10n, (_, range) => {
    const message = `Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [${range}]`
    return refusal(-32600, message, 400)
  }),
  rangesOf('QuickNode: ranges by 413', 50n, () => refusal(-32614, 'eth_getLogs is limited to a 50 range', 413)),
  rangesOf('Chainstack: ranges without a number', 40n, () =>
    refusal(-32602, 'Block range limit exceeded. See more details at the docs'),
  ),
  rangesOf('Ankr: ranges too wide', 100n, () => refusal(-32600, 'block range is too wide')),
  rangesOf('Cloudflare: ranges', 80n, () => {
    const message = "Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 80"
    return refusal(-32047, message)
  }),
  rangesOf('dRPC, free: time-outs of wide ranges', 60n, () =>
    refusal(30, 'Request timeout on the free tier, please upgrade your tier to the paid one', 408),
  ),
  rangesOf('Infura: ranges', 90n, (call) => refusal(-32602, `range ${widthOf(call)} exceeds limit of 90`)),
  rangesOf('Tenderly: ranges', 70n, () => refusal(-32602, 'invalid params')),
  rangesOf('reth: ranges', 75n, () => refusal(-32602, 'query exceeds max block range 75')),
]

function rangesOf(name: string, most: bigint, refusal: (call: RpcCall, range: string) => Fault): Gateway {
  return { name, cells: ALL_WHOLE, rules: () => [widerThan(most, refusal)] }
}

/** A rule has one fault, created again per refused call. */
function widerThan(most: bigint, refusal: (call: RpcCall, range: string) => Fault): Rule {
  const fault: Fault = {}
  const when = (call: RpcCall) => {
    if (!asksLogs(call) || widthOf(call) <= most) return false
    const { fromBlock } = filterOf(call)
    Object.assign(fault, refusal(call, `${fromBlock}, 0x${(BigInt(fromBlock) + most - 1n).toString(16)}`))
    return true
  }
  return { when, fault }
}

/** Refused requests do not count. */
function limited(name: string, perSecond: number, fault: Fault): Gateway {
  const rules: Gateway['rules'] = ({ timer }) => {
    let answered: number[] = []
    const isTooMany = () => {
      const now = timer.now()
      answered = answered.filter((at) => now - at < 1_000)
      if (answered.length >= perSecond) return true
      answered.push(now)
      return false
    }
    return [{ when: isTooMany, fault }]
  }
  return { name, cells: ALL_WHOLE, rules }
}

const limitedGateways: readonly Gateway[] = [
  limited('Infura, 8 a second', 8, refusal(-32005, 'project ID request rate exceeded', 429)),
  limited('QuickNode, 15 a second', 15, refusal(-32007, '15/second request limit reached', 429)),
  limited('QuickNode, credits a second', 15, refusal(-32012, 'credits limited to 6000/sec')),
  limited(
    'Alchemy, compute units a second',
    15,
    refusal(429, 'Your app has exceeded its compute units per second capacity.', 429),
  ),
  limited(
    'Chainstack, requests a second',
    15,
    refusal(-32005, 'You’ve exceeded the RPS limit available on the current plan.', 429),
  ),
  limited('dRPC, usage', 15, refusal(15, 'Free tier usage limit', 429)),
  limited('a page of Cloudflare, 15 a second, that says when to come back', 15, page(429, { 'retry-after': '1' })),
]

const withoutBatches: readonly Gateway[] = [
  batchesBy('batches refused by 403', page(403)),
  batchesBy('batches refused by 400', page(400)),
  batchesBy('batches refused in JSON', asOne(200, -32600, 'batch requests are disabled')),
  batchesBy('dRPC, free: batches', asOne(500, 31, 'Batch of more than 3 requests are not allowed on free tier')),
]

function asOne(status: number, code: number, message: string): Fault {
  return raw(status, JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }))
}

function batchesBy(name: string, fault: Fault): Gateway {
  return { name, cells: ALL_WHOLE, rules: ({ isBatch }) => [{ when: isBatch, fault }] }
}

const readsState = (method: string) => /^eth_(call|getBalance|getCode|getTransactionCount)$/.test(method)
const isBefore = (tag: unknown, block: bigint) => typeof tag === 'string' && tag.startsWith('0x') && BigInt(tag) < block
const isOfPast =
  (head: bigint) =>
  ({ method, params }: RpcCall) =>
    readsState(method) && isBefore(params[1], head - 64n)

/** A loaded local chain has no earlier states. Younger wallets have the same state at `first`. */
export const statesFrom = (first: bigint): Rule => ({
  when: ({ method }) => readsState(method),
  fault: {
    params([what, at, ...rest]) {
      return [what, isBefore(at, first) ? `0x${first.toString(16)}` : at, ...rest]
    },
  },
})

const NO_TRACES = refusal(-32601, 'the method does not exist/is not available')

/** Keep only the newest states and trace nothing, in their words for a dropped state. */
const pruned: readonly Gateway[] = [
  prunedBy('geth', -32000, 'missing trie node 1a2b (path ) state 0x12 is not available'),
  prunedBy('geth, by paths', -32000, 'historical state 1a2b is not available'),
  prunedBy('reth', -32603, 'state at block #12 is pruned'),
  prunedBy('Nethermind', -32002, 'No state available for block 0x1f4a'),
  prunedBy('Besu', -32000, 'World state unavailable'),
  prunedBy('Erigon', -32000, 'history has been pruned for this block'),
  prunedBy('Erigon 2', -32000, 'old data not available due to pruning'),
  prunedBy('QuickNode, without an archive', -32011, 'the node does not maintain archive data'),
  prunedBy('dRPC, without an archive', -32000, 'metadata is not found'),
  prunedBy(
    'publicnode, without an archive',
    -32602,
    'Archive, Debug and Trace requests are not available, use a dedicated node',
    {
      status: 403,
      traces: refusal(-32602, 'Archive, Debug and Trace requests are not available', 403),
    },
  ),
  prunedBy('traces refused by 403', -32000, 'missing trie node 1a2b (path )', { traces: page(403) }),
  prunedBy('words of no known client', -32000, 'sorry'),
]

function prunedBy(
  name: string,
  code: number,
  message: string,
  { status = 200, traces = NO_TRACES }: { status?: number; traces?: Fault } = {},
): Gateway {
  const rules: Gateway['rules'] = ({ head }) => [
    { when: isOfPast(head), fault: refusal(code, message, status) },
    { when: asksTraces, fault: traces },
  ]
  return { name, cells: NO_PAST, rules }
}

const lacksTraces = ({ method }: RpcCall) => /^trace_|^eth_getBlockReceipts$/.test(method)

/** Run calls and list blocks in fewer ways. */
const plain: readonly Gateway[] = [
  {
    name: 'Hardhat',
    cells: ALL_WHOLE,
    rules: () => [{ when: lacksTraces, fault: refusal(-32004, 'Method is not supported') }],
  },
  {
    name: 'Ganache',
    cells: ALL_WHOLE,
    rules: () => [
      { when: lacksTraces, fault: NO_TRACES },
      { when: overrides, fault: refusal(-32602, 'Incorrect number of arguments. Expected: 2') },
    ],
  },
  {
    name: 'Cloudflare: no overrides, no traces',
    cells: ['whole', 'said', 'whole', 'whole', 'whole'],
    rules: () => [
      { when: overrides, fault: refusal(-32046, 'Cannot fulfill request') },
      { when: asksTraces, fault: refusal(-32046, 'Cannot fulfill request') },
    ],
  },
]

const overrides = ({ method, params }: RpcCall) => method === 'eth_call' && params.length > 2

/** Longest waits first. */
export const gateways: readonly Gateway[] = [
  ...limitedGateways,
  ...narrow,
  ...withoutLogs,
  expiredHistory,
  ...withoutBatches,
  ...pruned,
  ...plain,
]

export const SOLANA_FEATURES = ['portfolio', 'transactions', 'new blocks'] as const

export type SolanaGateway = {
  name: string
  /** In the order of `SOLANA_FEATURES`. */
  cells: readonly Cell[]
  rules: Gateway['rules']
}

const WHOLE = ['whole', 'whole', 'whole'] as const

const refusing = (name: string, cells: readonly Cell[], when: (call: RpcCall) => boolean, fault: Fault) => ({
  ...{ name, cells },
  rules: () => [{ when, fault }],
})
const SAID = ['said', 'said', 'said'] as const
const asksTokens = asks('getTokenAccountsByOwner')
const asksCompressed = ({ params }: RpcCall) => JSON.stringify(params).includes('base64+zstd')
const NO_ENCODING = refusal(-32602, 'Invalid params: unknown variant `base64+zstd`')
const NO_INDEXES = refusal(-32010, 'excluded from account secondary indexes')

export const solanaGateways: readonly SolanaGateway[] = [
  {
    ...limited(
      'Solana’s public endpoints, 5 a second',
      5,
      refusal(429, 'Too many requests for a specific RPC call', 429),
    ),
    cells: WHOLE,
  },
  refusing('without `getTokenAccountsByOwner`', SAID, asksTokens, refusal(-32601, 'Method not found')),
  refusing('`getTokenAccountsByOwner` refused by a page with 403', SAID, asksTokens, page(403)),
  refusing('without indexes of programs', ['said', 'whole', 'whole'], asks('getProgramAccounts'), NO_INDEXES),
  refusing('without `base64+zstd`', WHOLE, asksCompressed, NO_ENCODING),
  { ...batchesBy('batches refused by 403', page(403)), cells: WHOLE },
  { name: 'a node that refuses nothing', cells: WHOLE, rules: () => [] },
]
