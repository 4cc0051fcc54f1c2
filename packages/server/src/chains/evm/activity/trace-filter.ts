import { type BlockRange, splitRange } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { NativeTransfer } from '../../../domain/transaction.ts'
import { UpstreamError, upstreamOnly } from '../../../lib/upstream-error.ts'
import { isRecord, lacksBlock, RpcRefusal, type RpcRequest } from '../../rpc/json-rpc.ts'
import { ifOffered, isNotOffered, noteIfRefused, offers } from '../../rpc/offers.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import { fewerBlocks } from '../logs/log-limits.ts'
import { blockTag } from '../reader/batch.ts'
import { type Hex, listOf, parseAddress, parseHash, parseQuantity, randomAddress, recordOf } from '../rpc-values.ts'
import type { NativeHit } from './native-source.ts'
import type { Found } from './read-transactions.ts'

type Search = { wallets: readonly EvmAddress[]; range: BlockRange }

const METHOD = 'trace_filter'
/** Traces per page; some nodes return no more. */
const PAGE = 1_000
const TRACES = 'a list of traces'

/** Null if not offered. */
export async function traceFilterHits(endpoint: RpcEndpoint, search: Search): Promise<NativeHit[] | null> {
  const traces = offers(endpoint, METHOD) ? await tracesIn(endpoint, search) : null
  return traces && (await hitsAmong(endpoint, search.wallets, traces))
}

async function tracesIn(endpoint: RpcEndpoint, { wallets, range }: Search): Promise<Trace[] | null> {
  // With both fields in a filter, some nodes match either address, others both.
  const filters = [{ fromAddress: wallets }, { toAddress: wallets }]
  const pages = Promise.all(filters.map((addresses) => allPages(endpoint, addresses, range)))
  const answer = await pages.catch(upstreamOnly)
  if (!(answer instanceof UpstreamError)) return answer.flat()
  const width = range.toBlock - range.fromBlock + 1n
  const fewer = isMethodRefused(answer) ? undefined : fewerBlocks(answer, width)?.blocks
  if (fewer === undefined) return await noneOrThrow(endpoint, answer, range)
  const found: Trace[] = []
  for (const piece of splitRange(range, fewer)) {
    const traces = await tracesIn(endpoint, { wallets, range: piece })
    if (!traces) return null
    for (const trace of traces) found.push(trace)
  }
  return found
}

function isMethodRefused(error: UpstreamError): boolean {
  const words = /method|module|namespace|not (available|enabled|allowed)|tier|upgrade/i
  return error instanceof RpcRefusal && error.says(words) !== null
}

async function noneOrThrow(endpoint: RpcEndpoint, error: UpstreamError, { toBlock }: BlockRange): Promise<null> {
  const neutral = pageRequest(endpoint, { fromAddress: [randomAddress()] }, { fromBlock: toBlock, toBlock }, 0)
  if (isNotOffered(error)) await noteIfRefused(endpoint, METHOD, isNotOffered, () => endpoint.request(neutral))
  else if (!lacksBlock(error)) throw error
  return null
}

type Addresses = Readonly<Record<string, readonly EvmAddress[]>>

async function allPages(endpoint: RpcEndpoint, addresses: Addresses, range: BlockRange): Promise<Trace[]> {
  const found = new Map<string, Trace>()
  for (;;) {
    const before = found.size
    const request = pageRequest(endpoint, addresses, range, found.size)
    const page = await endpoint.background(() => endpoint.request(request))
    for (const trace of page) found.set(`${trace.hash}:${trace.path.join('.')}`, trace)
    // A node without pages returns everything, or the same page again.
    if (page.length < PAGE || found.size === before) return [...found.values()]
  }
}

function pageRequest(
  { limits }: RpcEndpoint,
  addresses: Addresses,
  { fromBlock, toBlock }: BlockRange,
  after: number,
): RpcRequest<Trace[]> {
  const blocks = { fromBlock: `0x${fromBlock.toString(16)}`, toBlock: `0x${toBlock.toString(16)}` }
  return {
    method: METHOD,
    params: [{ ...blocks, ...addresses, after, count: PAGE }],
    timeoutMs: limits.logTimeoutMs,
    parse(result) {
      const traces = parseTraces(result)
      if (traces.some(({ block }) => block < fromBlock || block > toBlock))
        throw new UpstreamError('invalid', 'the node answered with traces that were not requested')
      return traces
    },
  }
}

const parseTraces = (result: unknown) => listOf(result, TRACES).flatMap((trace) => parseTrace(trace) ?? [])

async function hitsAmong(
  endpoint: RpcEndpoint,
  wallets: readonly EvmAddress[],
  all: readonly Trace[],
): Promise<NativeHit[]> {
  const byHash = Map.groupBy(all, ({ hash }) => hash)
  // Only the calls above show a revert: below two levels, receipts do not.
  const isDeep = ({ path, moved }: Trace) => path.length >= 2 && moved !== null
  const deep = [...byHash].flatMap(([hash, traces]) => (traces.some(isDeep) ? hash : []))
  const whole = await wholeTransactions(endpoint, deep)
  return [...byHash].flatMap(([hash, traces]) => {
    const { block, blockHash } = traces[0] as Trace
    const from = traces.find(({ path }) => path.length === 0)?.from
    const found = { hash, block, blockHash, time: null }
    return hitsOf({ ...found, from, ...transactionOf(whole.get(hash) ?? traces) }, wallets)
  })
}

async function wholeTransactions(
  endpoint: RpcEndpoint,
  hashes: readonly Hex[],
): Promise<ReadonlyMap<Hex, readonly Trace[]>> {
  const requests = hashes.map((hash) => ({
    method: 'trace_transaction',
    params: [hash],
    timeoutMs: endpoint.limits.logTimeoutMs,
    parse: parseTraces,
  }))
  const answers = (await requestEach(endpoint, requests, endpoint.background)).map(valueOrThrow)
  return new Map(hashes.map((hash, i) => [hash, answers[i] ?? []]))
}

type TracedBlock = { block: bigint; transactions: TracedTransaction[] }

/** Null without a tracer. A refused method rests for 10 minutes, up to 6 hours after repeated refusals. */
export async function traceBlock(endpoint: RpcEndpoint, block: bigint): Promise<TracedBlock | null> {
  for (const request of [parityRequest(endpoint, block), gethRequest(endpoint, block)]) {
    const transactions = await ifOffered(endpoint, request)
    if (transactions) return { block, transactions }
  }
  return null
}

export function hitsOfTraces({ block, transactions }: TracedBlock, wallets: readonly EvmAddress[]): NativeHit[] {
  return transactions.flatMap((transaction) => hitsOf({ ...transaction, block, blockHash: null, time: null }, wallets))
}

function parityRequest({ limits }: RpcEndpoint, block: bigint): RpcRequest<TracedTransaction[]> {
  return {
    method: 'trace_block',
    params: [blockTag(block)],
    timeoutMs: limits.logTimeoutMs,
    parse(result) {
      const traces = parseTraces(result)
      if (traces.some((trace) => trace.block !== block))
        throw new UpstreamError('invalid', 'the node answered with traces of another block')
      return [...Map.groupBy(traces, ({ hash }) => hash)].map(([hash, own]) => {
        const top = own.find(({ path }) => path.length === 0)
        if (!top) throw new UpstreamError('invalid', 'a transaction without its own call')
        return { hash, from: top.from, ...transactionOf(own) }
      })
    },
  }
}

function gethRequest({ limits }: RpcEndpoint, block: bigint): RpcRequest<TracedTransaction[]> {
  return {
    method: 'debug_traceBlockByNumber',
    params: [blockTag(block), { tracer: 'callTracer' }],
    timeoutMs: limits.logTimeoutMs,
    parse: (result) => listOf(result, TRACES).map(parseTraced),
  }
}

function parseTraced(value: unknown): TracedTransaction {
  const { txHash, result } = recordOf(value, 'a traced transaction')
  return parseCallFrame(parseHash(txHash), result)
}

/** `own`: null if zero or failed. */
type Moves = { own: NativeTransfer | null; inner: NativeTransfer[] }

type TracedTransaction = Moves & { hash: Hex; from: EvmAddress }

function hitsOf(
  { from: sender, own, inner, ...found }: Found & Moves & { from: EvmAddress | undefined },
  wallets: readonly EvmAddress[],
): NativeHit[] {
  return wallets.flatMap((wallet) => {
    const touches = ({ from, to }: NativeTransfer) => from === wallet || to === wallet
    const moved = inner.filter(touches)
    const isHit = sender === wallet || moved.length > 0 || (own !== null && touches(own))
    return isHit ? [{ ...found, wallet, inner: moved }] : []
  })
}

/** Parity's format (`trace_*`). */
type Trace = {
  hash: Hex
  block: bigint
  blockHash: Hex
  /** Empty for the transaction itself. */
  path: readonly number[]
  failed: boolean
  moved: NativeTransfer | null
  from: EvmAddress
}

function parseTrace(value: unknown): Trace | null {
  if (!isRecord(value) || !isRecord(value['action'])) throw new UpstreamError('invalid', 'expected a trace')
  if (value['type'] === 'reward') return null
  const path = value['traceAddress']
  const isPath = Array.isArray(path) && path.every((step) => Number.isInteger(step))
  if (!isPath) throw new UpstreamError('invalid', 'expected the place of a trace')
  const failed = value['error'] !== undefined && value['error'] !== null
  const { action, blockNumber: block } = value
  return {
    hash: parseHash(value['transactionHash']),
    // Most tracers write a number, some a hex quantity.
    block: Number.isSafeInteger(block) ? BigInt(block as number) : parseQuantity(block),
    blockHash: parseHash(value['blockHash']),
    path,
    failed,
    moved: failed ? null : movedBy(value['type'], action, value['result']),
    from: parseAddress(action[value['type'] === 'suicide' ? 'address' : 'from']),
  }
}

function movedBy(type: unknown, action: Record<string, unknown>, result: unknown): NativeTransfer | null {
  switch (type) {
    case 'call':
      return action['callType'] === 'call' ? transfer(action['from'], action['to'], action['value']) : null
    case 'create':
      return transfer(action['from'], isRecord(result) ? result['address'] : undefined, action['value'])
    case 'suicide':
      return transfer(action['address'], action['refundAddress'], action['balance'])
    default:
      return null
  }
}

function transfer(from: unknown, to: unknown, value: unknown): NativeTransfer | null {
  const amountRaw = parseQuantity(value)
  return amountRaw > 0n ? { from: parseAddress(from), to: parseAddress(to), amountRaw } : null
}

/** Drops everything below a failed call. */
function transactionOf(traces: readonly Trace[]): Moves {
  const byPath = [...new Map(traces.map((trace) => [trace.path.join('.'), trace])).values()].sort(inOrder)
  const failed = byPath.filter((trace) => trace.failed)
  const isKept = ({ path }: Trace) => !failed.some((above) => above.path.every((step, i) => path[i] === step))
  const kept = byPath.filter(isKept).flatMap(({ path, moved }) => (moved ? [{ isOwn: path.length === 0, moved }] : []))
  return {
    own: kept.find(({ isOwn }) => isOwn)?.moved ?? null,
    inner: kept.filter(({ isOwn }) => !isOwn).map(({ moved }) => moved),
  }
}

function inOrder(a: Trace, b: Trace): number {
  const at = a.path.findIndex((step, i) => step !== b.path[i])
  return at < 0 ? a.path.length - b.path.length : (a.path[at] ?? 0) - (b.path[at] ?? -1)
}

/** A `CALLCODE` moves coin from a contract to itself. */
const MOVING: ReadonlySet<unknown> = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'])

/** Format of geth's `callTracer`. */
function parseCallFrame(hash: Hex, value: unknown): TracedTransaction {
  const frame = recordOf(value, 'a call')
  const failed = frame['error'] !== undefined
  return {
    hash,
    from: parseAddress(frame['from']),
    own: failed ? null : movedInFrame(frame),
    inner: failed ? [] : callsOf(frame).flatMap(movedBelow),
  }
}

function movedBelow(value: unknown): NativeTransfer[] {
  const frame = recordOf(value, 'a call')
  if (frame['error'] !== undefined) return []
  const moved = movedInFrame(frame)
  return [...(moved ? [moved] : []), ...callsOf(frame).flatMap(movedBelow)]
}

function movedInFrame(frame: Record<string, unknown>): NativeTransfer | null {
  const hasValue = MOVING.has(frame['type']) && typeof frame['value'] === 'string'
  return hasValue ? transfer(frame['from'], frame['to'], frame['value']) : null
}

function callsOf(frame: Record<string, unknown>): unknown[] {
  return Array.isArray(frame['calls']) ? frame['calls'] : []
}
