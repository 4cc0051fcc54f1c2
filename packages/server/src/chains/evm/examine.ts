import type { Clock } from '../../lib/clock.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { asItCame, type RefusalKind, RpcRefusal, type RpcRequest } from '../rpc/json-rpc.ts'
import type { RpcPool } from '../rpc/rpc-pool.ts'
import { blockRequest } from './blocks.ts'
import { parseQuantity } from './rpc-values.ts'

const ZERO = `0x${'00'.repeat(20)}`
const NO_HASH = `0x${'00'.repeat(32)}`
const FIRST_BLOCK = 1n
/** NUMBER, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN: returns the block. */
const RUNS_ON = '0x4360005260206000f3'
const LOG_RANGES = [10n, 100n, 1_000n, 10_000n, 100_000n, 1_000_000n]
const GAS = [1_000_000_000, 550_000_000, 100_000_000, 50_000_000, 25_000_000]
/** GAS, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN: returns the gas. */
const GAS_LEFT = '0x5a60005260206000f3'

export async function examineEvm(pool: RpcPool, clock: Clock) {
  const session = pool.session()
  const startedAt = performance.now()
  const head = await session.request(blockRequest(null))
  const latencyMs = Math.round(performance.now() - startedAt)
  const ask = (method: string, params: readonly unknown[]) => session.request({ method, params, parse: asItCame })
  // A node with the method reports that there is no such transaction.
  const knows = (method: string, params: readonly unknown[]) => isTaken(ask(method, params), 'other')
  return {
    head: head.number.toString(),
    lagSeconds: Math.round(clock.now() / 1_000) - head.timestamp,
    latencyMs,
    // Some nodes ignore the block and run the call on another one.
    archive: await isTaken(session.request(runOn(FIRST_BLOCK))),
    traces:
      (await knows('debug_traceTransaction', [NO_HASH, { tracer: 'callTracer' }])) ||
      (await knows('trace_transaction', [NO_HASH])),
    gas: await gasOf((params) => session.request({ method: 'eth_call', params, parse: parseQuantity })),
    // Last: a search that takes too long rests the endpoint.
    logRange: await logRangeOf(head.number, (params) => isTaken(ask('eth_getLogs', params))),
  }
}

const runOn = (block: bigint): RpcRequest<void> => ({
  method: 'eth_call',
  params: [{ data: RUNS_ON }, `0x${block.toString(16)}`],
  parse(result) {
    if (parseQuantity(result) !== block) throw new UpstreamError('not-allowed', 'the node keeps no state of the block')
  },
})

/** `unless`: a refusal that counts as acceptance. */
async function isTaken(answer: Promise<unknown>, unless?: RefusalKind): Promise<boolean | null> {
  try {
    await answer
    return true
  } catch (error) {
    if (error instanceof RpcRefusal) return error.kind === 'rate-limited' ? null : error.kind === unless
    if (error instanceof UpstreamError) return error.reason === 'not-allowed' ? false : null
    throw error
  }
}

/** Blocks of one search, or `all`. Null: not even ten. */
async function logRangeOf(
  head: bigint,
  takes: (params: readonly unknown[]) => Promise<boolean | null>,
): Promise<string | null> {
  let most: string | null = null
  for (const range of [...LOG_RANGES.filter((range) => range <= head), head + 1n]) {
    const fromBlock = `0x${(head + 1n - range).toString(16)}`
    const taken = await takes([{ address: ZERO, fromBlock, toBlock: `0x${head.toString(16)}` }])
    if (!taken) return most
    most = range > head ? 'all' : range.toString()
  }
  return most
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
