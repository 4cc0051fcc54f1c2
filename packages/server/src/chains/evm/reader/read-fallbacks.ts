import { UpstreamError, upstreamOnly } from '../../../lib/upstream-error.ts'
import type { Fallback } from '../../rpc/capabilities.ts'
import { lacksBlock, RpcRefusal } from '../../rpc/json-rpc.ts'
import { type BatchResult, type BatchRun, NotAnswered } from './batch.ts'
import { creationCarrier, overrideCarrier, runPackedBatch } from './packed-batch.ts'
import { runMulticallBatch, runSingleBatch } from './plain-batch.ts'

const fallbacks: readonly Fallback[] = ['override', 'creation', 'multicall3', 'single']

/** Nodes get upgraded, and a refusal may be temporary. */
const RELEARN_MS = 30 * 60_000

const LITTLE_GAS = 10_000_000

/** All ways give the same results, but Multicall3 and single calls cannot run lenses. */
export async function runBatch(run: BatchRun): Promise<BatchResult> {
  try {
    return await walkFallbacks(run)
  } catch (error) {
    if (!(error instanceof RpcRefusal) || error.kind !== 'other') throw error
    return await runWithLittleGas(run, error)
  }
}

/** A refusal without a known reason may be about gas. */
async function runWithLittleGas(run: BatchRun, refusal: RpcRefusal): Promise<BatchResult> {
  const known = run.endpoint.capabilities
  const { gasCeiling, gasSettled } = known
  if (gasCeiling <= LITTLE_GAS) throw refusal
  const little = { gasCeiling: LITTLE_GAS, gasSettled: true }
  Object.assign(known, little)
  try {
    const result = await runPackedBatch(run, overrideCarrier)
    Object.assign(known, { gasCeiling, gasSettled })
    if (!(await answersNothing('override', run))) Object.assign(known, little)
    return result
  } catch {
    Object.assign(known, { gasCeiling, gasSettled })
    throw refusal
  }
}

async function walkFallbacks(run: BatchRun): Promise<BatchResult> {
  const known = run.endpoint.capabilities
  const now = run.endpoint.clock.now()
  const start = now < known.fallbackUntil ? known.fallback : 'override'
  let failure: UpstreamError | undefined
  for (const fallback of fallbacks.slice(fallbacks.indexOf(start))) {
    const result = await tryFallback(fallback, run)
    if (result instanceof UpstreamError) failure ??= result
    else if (result) {
      const best = await bestFallback(run, start, fallback)
      if (best !== start) Object.assign(known, { fallback: best, fallbackUntil: now + RELEARN_MS })
      return result
    }
  }
  throw failure ?? new UpstreamError('unavailable', 'no way to read from this node')
}

/** Better ways may have refused the batch's content. */
async function bestFallback(run: BatchRun, start: Fallback, used: Fallback): Promise<Fallback> {
  for (const fallback of fallbacks.slice(fallbacks.indexOf(start), fallbacks.indexOf(used))) {
    if (await answersNothing(fallback, run)) return fallback
  }
  return used
}

async function answersNothing(fallback: Fallback, run: BatchRun): Promise<boolean> {
  const result = await tryFallback(fallback, { ...run, batch: { scans: [], calls: [] } }).catch(upstreamOnly)
  return result !== undefined && !(result instanceof UpstreamError)
}

async function tryFallback(fallback: Fallback, run: BatchRun): Promise<BatchResult | UpstreamError | undefined> {
  try {
    return await runOn(fallback, run)
  } catch (error) {
    if (!(error instanceof UpstreamError) || !isRefusedWay(error)) throw error
    // A node without a reason may be failing: spare it thousands of single calls.
    if (fallback === 'multicall3' && error instanceof RpcRefusal && error.kind === 'other') throw error
    return error
  }
}

/** ArbSys gives no parent hash within `aggregate3`. */
async function runOn(fallback: Fallback, run: BatchRun): Promise<BatchResult | undefined> {
  if (fallback === 'override') return await runPackedBatch(run, overrideCarrier)
  if (fallback === 'creation') return await runPackedBatch(run, creationCarrier)
  if (fallback === 'single') return await runSingleBatch(run)
  const { multicall3, blockSource } = run.chain
  return multicall3 && blockSource === 'opcode' ? await runMulticallBatch(run, multicall3) : undefined
}

function isRefusedWay(error: UpstreamError): boolean {
  if (error instanceof NotAnswered) return true
  return error instanceof RpcRefusal && error.kind !== 'rate-limited' && !lacksBlock(error)
}
