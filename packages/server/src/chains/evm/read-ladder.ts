import { overrideCarrier, runPackedWave } from './packed-wave.ts'
import type { WaveResult, WaveRun } from './wave.ts'

/** Runs a wave the best way its endpoint is known to take. */
export async function runWave(run: WaveRun): Promise<WaveResult> {
  return await runPackedWave(run, overrideCarrier)
}
