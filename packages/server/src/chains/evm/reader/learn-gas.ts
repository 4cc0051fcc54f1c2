import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Capabilities } from '../../rpc/capabilities.ts'
import type { Batch, BatchRun } from './batch.ts'
import type { ProgramAnswer } from './packed-program.ts'
import type { ProgramPart } from './program-plan.ts'

/** From here on, a call has the longer time limit. */
export const BIG_SCAN_TOKENS = 1_000
const LEAST_TOKENS = 100
const LEAST_CALLS = 10
/** Lower bounds: later calls may cost more. */
const LEAST_GAS_PER_LENS = 100_000
const LEAST_GAS_PER_TOKEN = 500

/** Estimates rise at once and fall slowly. */
export function learnGas(run: BatchRun, part: ProgramPart, answer: ProgramAnswer): void {
  const known = run.endpoint.capabilities
  const isGranted = answer.gas.atStart >= part.gas * 0.7
  if (part.gas > known.gasCeiling) {
    known.gasSettled = true
    known.gasCeiling = isGranted ? part.gas : answer.gas.atStart
  } else if (!isGranted) known.gasCeiling = Math.min(known.gasCeiling, answer.gas.atStart)
  learnTokens(run, part, answer)
  learnCalls(run, part, answer)
  learnHeld(known, part, answer)
}

const follow = (old: number, seen: number) => Math.round(seen > old ? seen : old * 0.9 + seen * 0.1)

function learnTokens({ batch, endpoint: { capabilities: known } }: BatchRun, part: ProgramPart, answer: ProgramAnswer) {
  const tokens = part.scans.reduce((sum, { from, to }) => sum + to - from, 0)
  const { first, again } = scannedTokens(batch, part, answer)
  const used = answer.gas.beforeScans - answer.gas.beforeHeld
  if (tokens < BIG_SCAN_TOKENS || first + again <= LEAST_TOKENS) return
  if (again <= LEAST_TOKENS) known.gasPerToken = follow(known.gasPerToken, used / (first + again))
  else {
    const seen = (used - first * known.gasPerToken) / again
    known.gasPerTokenAgain = follow(known.gasPerTokenAgain, Math.max(LEAST_GAS_PER_TOKEN, seen))
  }
}

/** `again`: tokens of a list that an earlier scan of the program warmed. */
function scannedTokens({ scans }: Batch, part: ProgramPart, answer: ProgramAnswer): { first: number; again: number } {
  const until = new Map<readonly EvmAddress[] | undefined, number>()
  let [first, again] = [0, 0]
  for (const [i, { done }] of answer.scans.entries()) {
    const range = part.scans[i]
    if (!range) break
    const tokens = scans[range.scan]?.lists[range.list]
    const scanned = until.get(tokens)
    const fresh = scanned === undefined ? done : Math.max(0, range.from + done - Math.max(range.from, scanned))
    first += fresh
    again += done - fresh
    until.set(tokens, Math.max(scanned ?? 0, range.from + done))
  }
  return { first, again }
}

/** Follows the mean: a call that does not fit is repeated alone. */
function learnHeld(known: Capabilities, part: ProgramPart, { gas }: ProgramAnswer): void {
  if (!part.asksHeld) return
  const seen = (gas.beforeHeld - gas.atEnd) / part.scans.length
  known.gasPerHeld = Math.round(known.gasPerHeld * 0.9 + seen * 0.1)
}

function learnCalls({ batch, endpoint: { capabilities: known } }: BatchRun, part: ProgramPart, answer: ProgramAnswer) {
  const used = answer.gas.atStart - answer.gas.beforeScans
  const answered = part.calls.slice(0, answer.calls.length)
  const lenses = answered.filter((index) => batch.calls[index]?.lens).length
  const plain = answered.length - lenses
  if (lenses === 0 && plain >= LEAST_CALLS) known.gasPerCall = follow(known.gasPerCall, used / plain)
  if (lenses > 0) {
    const seen = (used - plain * known.gasPerCall) / lenses
    known.gasPerLens = follow(known.gasPerLens, Math.max(LEAST_GAS_PER_LENS, seen))
  }
}
