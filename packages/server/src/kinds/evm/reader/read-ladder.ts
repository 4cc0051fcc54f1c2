import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Rung } from '../../rpc/capabilities.ts'
import { lacksBlock, RpcRefusal } from '../../rpc/json-rpc.ts'
import { creationCarrier, overrideCarrier, runPackedWave } from './packed-wave.ts'
import { runMulticallWave, runSingleWave } from './plain-wave.ts'
import { NotAnswered, type WaveResult, type WaveRun } from './wave.ts'

const rungs: readonly Rung[] = ['override', 'creation', 'multicall3', 'single']

/** After so long a better way is tried again: nodes are upgraded, and a refusal may have been a bad moment. */
const RELEARN_MS = 30 * 60_000

/** Gas that every node grants. */
const LITTLE_GAS = 10_000_000

/** Runs a wave the best way its endpoint takes, and remembers which that was. All ways give the same results. */
export async function runWave(run: WaveRun): Promise<WaveResult> {
  try {
    return await walkRungs(run)
  } catch (error) {
    if (!(error instanceof RpcRefusal) || error.kind !== 'other') throw error
    return await runWithLittleGas(run, error)
  }
}

/** Every way was refused in words that name no reason: it may have been the gas. */
async function runWithLittleGas(run: WaveRun, refusal: RpcRefusal): Promise<WaveResult> {
  const known = run.endpoint.capabilities
  const { gasCeiling, gasSettled } = known
  if (gasCeiling <= LITTLE_GAS) throw refusal
  Object.assign(known, { gasCeiling: LITTLE_GAS, gasSettled: true })
  try {
    return await runPackedWave(run, overrideCarrier)
  } catch {
    Object.assign(known, { gasCeiling, gasSettled })
    throw refusal
  }
}

async function walkRungs(run: WaveRun): Promise<WaveResult> {
  const known = run.endpoint.capabilities
  const now = run.endpoint.clock.now()
  const start = now < known.rungUntil ? known.rung : 'override'
  let failure: UpstreamError | undefined
  for (const rung of rungs.slice(rungs.indexOf(start))) {
    const result = await tryRung(rung, run)
    if (result instanceof UpstreamError) failure ??= result
    else if (result) {
      if (rung !== start) Object.assign(known, { rung, rungUntil: now + RELEARN_MS })
      return result
    }
  }
  throw failure ?? new UpstreamError('unavailable', 'no way to read from this node')
}

/** The refusal, when the next way may do better. */
async function tryRung(rung: Rung, run: WaveRun): Promise<WaveResult | UpstreamError | undefined> {
  try {
    return await runOn(rung, run)
  } catch (error) {
    if (!(error instanceof UpstreamError) || !isRefusedWay(error)) throw error
    // A node that gives no reason may be ill; it is not sent thousands of single calls for that.
    if (rung === 'multicall3' && error instanceof RpcRefusal && error.kind === 'other') throw error
    return error
  }
}

/** Undefined where the chain lacks what the way needs. ArbSys cannot be asked for a parent within one `aggregate3`. */
async function runOn(rung: Rung, run: WaveRun): Promise<WaveResult | undefined> {
  if (rung === 'override') return await runPackedWave(run, overrideCarrier)
  if (rung === 'creation') return await runPackedWave(run, creationCarrier)
  if (rung === 'single') return await runSingleWave(run)
  const { multicall3, blockSource } = run.chain
  return multicall3 && blockSource === 'opcode' ? await runMulticallWave(run, multicall3) : undefined
}

/** The node said no to this way of asking, or answered something else: the next way may do. */
function isRefusedWay(error: UpstreamError): boolean {
  if (error instanceof NotAnswered) return true
  return error instanceof RpcRefusal && error.kind !== 'rate-limited' && !lacksBlock(error)
}
