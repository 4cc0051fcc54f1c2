import { blockRequest } from '../../chains/evm/block-header.ts'
import { parseQuantity } from '../../chains/evm/rpc-values.ts'
import { RpcRefusal, type RpcRequest } from '../../chains/rpc/json-rpc.ts'
import type { RpcPool } from '../../chains/rpc/rpc-pool.ts'
import type { Clock } from '../../lib/clock.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'

/** What a node answers; null: it was asked and did not say. */
export type EndpointFacts = {
  head: string
  /** By this machine's clock. */
  lagSeconds: number
  latencyMs: number
  /** Whether it keeps the states of all blocks. */
  archive: boolean | null
  traces: boolean | null
  /** Blocks of one search of logs: `all`, or as many as it took. */
  logRange: string | null
  /** That one call is granted. */
  gas: number | null
}

const ZERO = `0x${'00'.repeat(20)}`
const NO_HASH = `0x${'00'.repeat(32)}`
const FIRST_BLOCK = '0x1'
/** Blocks of one search, most first. */
const LOG_RANGES = [1_000_000n, 100_000n, 10_000n, 1_000n, 100n, 10n]
/** Gas of one call, most first. */
const GAS = [1_000_000_000, 550_000_000, 100_000_000, 50_000_000, 25_000_000]
/** GAS, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN: answers the gas that it was given. */
const GAS_LEFT = '0x5a60005260206000f3'

/** Asks the only endpoint of a pool. Rejects with `UpstreamError` where not even its newest block can be read. */
export async function examineEvm(pool: RpcPool, clock: Clock): Promise<EndpointFacts> {
  const session = pool.session()
  const startedAt = performance.now()
  const head = await session.request(blockRequest(null))
  const latencyMs = Math.round(performance.now() - startedAt)
  const takes = (method: string, params: readonly unknown[]) => isTaken(session.request(anything(method, params)))
  return {
    head: head.number.toString(),
    lagSeconds: Math.round(clock.now() / 1_000) - head.timestamp,
    latencyMs,
    archive: await takes('eth_getBalance', [ZERO, FIRST_BLOCK]),
    traces:
      (await takes('debug_traceTransaction', [NO_HASH, { tracer: 'callTracer' }])) ||
      (await takes('trace_transaction', [NO_HASH])),
    logRange: await logRangeOf(head.number, (params) => takes('eth_getLogs', params)),
    gas: await gasOf((params) => session.request({ method: 'eth_call', params, parse: parseQuantity })),
  }
}

const anything = (method: string, params: readonly unknown[]): RpcRequest<unknown> => ({
  method,
  params,
  parse: (result) => result,
})

/** Null where the node did not answer; a refusal that says nothing of the method itself means that it is there. */
async function isTaken(answer: Promise<unknown>): Promise<boolean | null> {
  try {
    await answer
    return true
  } catch (error) {
    if (error instanceof RpcRefusal) return error.kind === 'other'
    if (error instanceof UpstreamError) return error.reason === 'not-allowed' ? false : null
    throw error
  }
}

async function logRangeOf(
  head: bigint,
  takes: (params: readonly unknown[]) => Promise<boolean | null>,
): Promise<string | null> {
  for (const range of [head + 1n, ...LOG_RANGES.filter((range) => range <= head)]) {
    const fromBlock = `0x${(head + 1n - range).toString(16)}`
    const taken = await takes([{ address: ZERO, fromBlock, toBlock: `0x${head.toString(16)}` }])
    if (taken) return range > head ? 'all' : range.toString()
  }
  return null
}

async function gasOf(call: (params: readonly unknown[]) => Promise<bigint>): Promise<number | null> {
  for (const gas of GAS) {
    try {
      return Number(await call([{ data: GAS_LEFT, gas: `0x${gas.toString(16)}` }, 'latest']))
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
    }
  }
  return null
}
