import { UpstreamError, upstreamOnly } from '../../../lib/upstream-error.ts'
import type { Rung } from '../../rpc/capabilities.ts'
import { lacksBlock, RpcRefusal } from '../../rpc/json-rpc.ts'
import { NotAnswered, type WaveResult, type WaveRun } from './batch.ts'
import { creationCarrier, overrideCarrier, runPackedWave } from './packed-batch.ts'
import { runMulticallWave, runSingleWave } from './plain-batch.ts'

const rungs: readonly Rung[] = ['override', 'creation', 'multicall3', 'single']

/** Nodes get upgraded, and a refusal may be temporary. */
const RELEARN_MS = 30 * 60_000

const LITTLE_GAS = 10_000_000

/** All ways give the same results, but Multicall3 and single calls cannot run lenses. */
export async function runWave(run: WaveRun): Promise<WaveResult> {
  try {
    return await walkRungs(run)
  } catch (error) {
    if (!(error instanceof RpcRefusal) || error.kind !== 'other') throw error
    return await runWithLittleGas(run, error)
  }
}

/** A refusal without a known reason may be about gas. */
async function runWithLittleGas(run: WaveRun, refusal: RpcRefusal): Promise<WaveResult> {
  const known = run.endpoint.capabilities
  const { gasCeiling, gasSettled } = known
  if (gasCeiling <= LITTLE_GAS) throw refusal
  const little = { gasCeiling: LITTLE_GAS, gasSettled: true }
  Object.assign(known, little)
  try {
    const result = await runPackedWave(run, overrideCarrier)
    Object.assign(known, { gasCeiling, gasSettled })
    if (!(await answersNothing('override', run))) Object.assign(known, little)
    return result
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
      const best = await bestRung(run, start, rung)
      if (best !== start) Object.assign(known, { rung: best, rungUntil: now + RELEARN_MS })
      return result
    }
  }
  throw failure ?? new UpstreamError('unavailable', 'no way to read from this node')
}

/** Better ways may have refused the batch's content. */
async function bestRung(run: WaveRun, start: Rung, used: Rung): Promise<Rung> {
  for (const rung of rungs.slice(rungs.indexOf(start), rungs.indexOf(used))) {
    if (await answersNothing(rung, run)) return rung
  }
  return used
}

async function answersNothing(rung: Rung, run: WaveRun): Promise<boolean> {
  const result = await tryRung(rung, { ...run, wave: { scans: [], calls: [] } }).catch(upstreamOnly)
  return result !== undefined && !(result instanceof UpstreamError)
}

async function tryRung(rung: Rung, run: WaveRun): Promise<WaveResult | UpstreamError | undefined> {
  try {
    return await runOn(rung, run)
  } catch (error) {
    if (!(error instanceof UpstreamError) || !isRefusedWay(error)) throw error
    // A node that gives no reason may be failing: it is not sent thousands of single calls.
    if (rung === 'multicall3' && error instanceof RpcRefusal && error.kind === 'other') throw error
    return error
  }
}

/** ArbSys gives no parent hash within `aggregate3`. */
async function runOn(rung: Rung, run: WaveRun): Promise<WaveResult | undefined> {
  if (rung === 'override') return await runPackedWave(run, overrideCarrier)
  if (rung === 'creation') return await runPackedWave(run, creationCarrier)
  if (rung === 'single') return await runSingleWave(run)
  const { multicall3, blockSource } = run.chain
  return multicall3 && blockSource === 'opcode' ? await runMulticallWave(run, multicall3) : undefined
}

function isRefusedWay(error: UpstreamError): boolean {
  if (error instanceof NotAnswered) return true
  return error instanceof RpcRefusal && error.kind !== 'rate-limited' && !lacksBlock(error)
}
