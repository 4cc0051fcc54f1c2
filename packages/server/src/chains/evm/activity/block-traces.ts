import type { EvmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { isRecord, type RpcRequest } from '../../rpc/json-rpc.ts'
import { ifOffered } from '../../rpc/offers.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import { blockTag } from '../reader/batch.ts'
import { type Hex, parseHash } from '../rpc-values.ts'
import type { NativeHit } from './native-source.ts'
import { hitsOf, parseCallFrame, parseTrace, type TracedTransaction, transactionOf } from './traced-transaction.ts'

type TracedBlock = { block: bigint; transactions: TracedTransaction[] }

/**
 * Tries both tracers; null if the endpoint has neither. A refused method is retried after 10 minutes, and after up to 6
 * hours on repeated refusals.
 */
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
      const traces = listOf(result).flatMap((trace) => parseTrace(trace) ?? [])
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
    parse: (result) => listOf(result).map(parseTraced),
  }
}

function parseTraced(value: unknown): TracedTransaction {
  if (!isRecord(value)) throw new UpstreamError('invalid', 'expected a traced transaction')
  const hash: Hex = parseHash(value['txHash'])
  return parseCallFrame(hash, value['result'])
}

function listOf(result: unknown): unknown[] {
  if (!Array.isArray(result)) throw new UpstreamError('invalid', 'expected the traces of a block')
  return result
}
