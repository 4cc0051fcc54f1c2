import type { Timer } from '../src/lib/clock.ts'
import type { Fault, RpcCall, Rule } from './rpc-proxy.ts'

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

type Refusal = { code: number; message: string }

const refuse = (error: Refusal, status = 200): Fault => ({ error, ...(status !== 200 && { status }) })
const page = (status: number, headers: Record<string, string> = {}): Fault => ({
  raw: { status, body: '<html><body>Forbidden</body></html>', headers },
})
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
  logsBy('BNB Chain’s public endpoints', refuse({ code: -32005, message: 'limit exceeded' })),
  logsBy(
    'publicnode, without an address',
    refuse({ code: -32701, message: 'Please specify an address in your request or, to remove restrictions' }),
    (call) => filterOf(call).address === undefined,
  ),
  logsBy(
    'a node without `eth_getLogs`',
    refuse({ code: -32601, message: 'the method does not exist/is not available' }),
  ),
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
      fault: refuse({ code: 4444, message: 'pruned history unavailable' }),
    },
  ],
}

/** Limits blocks of logs per request: fewer than documented, as the local chain is short. */
const narrow: readonly Gateway[] = [
  rangesOf('Alchemy, free: 10 blocks', 10n, (_, range) => {
    const message = `Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [${range}]`
    return refuse({ code: -32600, message }, 400)
  }),
  rangesOf('QuickNode: ranges by 413', 50n, () =>
    refuse({ code: -32614, message: 'eth_getLogs is limited to a 50 range' }, 413),
  ),
  rangesOf('Chainstack: ranges without a number', 40n, () =>
    refuse({ code: -32602, message: 'Block range limit exceeded. See more details at the docs' }),
  ),
  rangesOf('Ankr: ranges too wide', 100n, () => refuse({ code: -32600, message: 'block range is too wide' })),
  rangesOf('Cloudflare: ranges', 80n, () => {
    const message = "Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 80"
    return refuse({ code: -32047, message })
  }),
  rangesOf('dRPC, free: time-outs of wide ranges', 60n, () =>
    refuse({ code: 30, message: 'Request timeout on the free tier, please upgrade your tier to the paid one' }, 408),
  ),
  rangesOf('Infura: ranges', 90n, (call) =>
    refuse({ code: -32602, message: `range ${widthOf(call)} exceeds limit of 90` }),
  ),
  rangesOf('Tenderly: ranges', 70n, () => refuse({ code: -32602, message: 'invalid params' })),
  rangesOf('reth: ranges', 75n, () => refuse({ code: -32602, message: 'query exceeds max block range 75' })),
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
  limited('Infura, 8 a second', 8, refuse({ code: -32005, message: 'project ID request rate exceeded' }, 429)),
  limited('QuickNode, 15 a second', 15, refuse({ code: -32007, message: '15/second request limit reached' }, 429)),
  limited('QuickNode, credits a second', 15, refuse({ code: -32012, message: 'credits limited to 6000/sec' })),
  limited(
    'Alchemy, compute units a second',
    15,
    refuse({ code: 429, message: 'Your app has exceeded its compute units per second capacity.' }, 429),
  ),
  limited(
    'Chainstack, requests a second',
    15,
    refuse({ code: -32005, message: 'You’ve exceeded the RPS limit available on the current plan.' }, 429),
  ),
  limited('dRPC, usage', 15, refuse({ code: 15, message: 'Free tier usage limit' }, 429)),
  limited('a page of Cloudflare, 15 a second, that says when to come back', 15, page(429, { 'retry-after': '1' })),
]

const withoutBatches: readonly Gateway[] = [
  batchesBy('batches refused by 403', page(403)),
  batchesBy('batches refused by 400', page(400)),
  batchesBy('batches refused in JSON', asOne(200, { code: -32600, message: 'batch requests are disabled' })),
  batchesBy(
    'dRPC, free: batches',
    asOne(500, { code: 31, message: 'Batch of more than 3 requests are not allowed on free tier' }),
  ),
]

function asOne(status: number, error: Refusal): Fault {
  return { raw: { status, body: JSON.stringify({ jsonrpc: '2.0', id: null, error }) } }
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

const NO_TRACES = refuse({ code: -32601, message: 'the method does not exist/is not available' })

/** Keep only the newest states and trace nothing, in their words for a dropped state. */
const pruned: readonly Gateway[] = [
  prunedBy('geth', { code: -32000, message: 'missing trie node 1a2b (path ) state 0x12 is not available' }),
  prunedBy('geth, by paths', { code: -32000, message: 'historical state 1a2b is not available' }),
  prunedBy('reth', { code: -32603, message: 'state at block #12 is pruned' }),
  prunedBy('Nethermind', { code: -32002, message: 'No state available for block 0x1f4a' }),
  prunedBy('Besu', { code: -32000, message: 'World state unavailable' }),
  prunedBy('Erigon', { code: -32000, message: 'history has been pruned for this block' }),
  prunedBy('Erigon 2', { code: -32000, message: 'old data not available due to pruning' }),
  prunedBy('QuickNode, without an archive', { code: -32011, message: 'the node does not maintain archive data' }),
  prunedBy('dRPC, without an archive', { code: -32000, message: 'metadata is not found' }),
  prunedBy(
    'publicnode, without an archive',
    { code: -32602, message: 'Archive, Debug and Trace requests are not available, use a dedicated node' },
    {
      status: 403,
      traces: refuse({ code: -32602, message: 'Archive, Debug and Trace requests are not available' }, 403),
    },
  ),
  prunedBy('traces refused by 403', { code: -32000, message: 'missing trie node 1a2b (path )' }, { traces: page(403) }),
  prunedBy('words of no known client', { code: -32000, message: 'sorry' }),
]

function prunedBy(
  name: string,
  error: Refusal,
  { status = 200, traces = NO_TRACES }: { status?: number; traces?: Fault } = {},
): Gateway {
  const rules: Gateway['rules'] = ({ head }) => [
    { when: isOfPast(head), fault: refuse(error, status) },
    { when: asksTraces, fault: traces },
  ]
  return { name, cells: NO_PAST, rules }
}

/** Run calls and list blocks in fewer ways. */
const plain: readonly Gateway[] = [
  {
    name: 'Hardhat',
    cells: ALL_WHOLE,
    rules: () => [
      {
        when: ({ method }) => /^trace_|^eth_getBlockReceipts$/.test(method),
        fault: refuse({ code: -32004, message: 'Method is not supported' }),
      },
    ],
  },
  {
    name: 'Ganache',
    cells: ALL_WHOLE,
    rules: () => [
      { when: ({ method }) => /^trace_|^eth_getBlockReceipts$/.test(method), fault: NO_TRACES },
      { when: overrides, fault: refuse({ code: -32602, message: 'Incorrect number of arguments. Expected: 2' }) },
    ],
  },
  {
    name: 'Cloudflare: no overrides, no traces',
    cells: ['whole', 'said', 'whole', 'whole', 'whole'],
    rules: () => [
      { when: overrides, fault: refuse({ code: -32046, message: 'Cannot fulfill request' }) },
      { when: asksTraces, fault: refuse({ code: -32046, message: 'Cannot fulfill request' }) },
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

const TOO_MANY = { code: 429, message: 'Too many requests for a specific RPC call' }
const WHOLE = ['whole', 'whole', 'whole'] as const

export const solanaGateways: readonly SolanaGateway[] = [
  { ...limited('Solana’s public endpoints, 5 a second', 5, refuse(TOO_MANY, 429)), cells: WHOLE },
  {
    name: 'without `getTokenAccountsByOwner`',
    cells: ['said', 'said', 'said'],
    rules: () => [
      { when: asks('getTokenAccountsByOwner'), fault: refuse({ code: -32601, message: 'Method not found' }) },
    ],
  },
  {
    name: '`getTokenAccountsByOwner` refused by a page with 403',
    cells: ['said', 'said', 'said'],
    rules: () => [{ when: asks('getTokenAccountsByOwner'), fault: page(403) }],
  },
  {
    name: 'without indexes of programs',
    cells: ['said', 'whole', 'whole'],
    rules: () => [
      {
        when: asks('getProgramAccounts'),
        fault: refuse({ code: -32010, message: 'excluded from account secondary indexes' }),
      },
    ],
  },
  {
    name: 'without `base64+zstd`',
    cells: WHOLE,
    rules: () => [
      {
        when: ({ params }) => JSON.stringify(params).includes('base64+zstd'),
        fault: refuse({ code: -32602, message: 'Invalid params: unknown variant `base64+zstd`' }),
      },
    ],
  },
  { ...batchesBy('batches refused by 403', page(403)), cells: WHOLE },
  { name: 'a node that refuses nothing', cells: WHOLE, rules: () => [] },
]
