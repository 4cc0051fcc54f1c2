import type { EvmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Batch, BatchCall, BatchResult, BatchScan, CallOutcome, HeldAnswer } from './batch.ts'
import { filled } from './held-call.ts'
import type { CallAnswer, ProgramAnswer, ScanAnswer } from './packed-program.ts'
import { isGasShort, type ProgramPart, type Remainder, type ScanRange } from './program-plan.ts'

export class BatchProgress {
  readonly #batch: Batch
  readonly #calls = new Map<number, CallOutcome>()
  readonly #scans: { nativeRaw: bigint; balances: Map<EvmAddress, bigint>; failed: Set<EvmAddress> }[]
  readonly #held: HeldAnswer[] = []
  #ranges: ScanRange[]

  constructor(batch: Batch) {
    this.#batch = batch
    this.#scans = batch.scans.map(() => ({ nativeRaw: 0n, balances: new Map(), failed: new Set() }))
    this.#ranges = batch.scans.flatMap(rangesOf)
  }

  left(): Remainder {
    const calls = [...this.#batch.calls.keys()].filter((index) => !this.#calls.has(index))
    return { calls, scans: this.#ranges }
  }

  absorb(part: ProgramPart, answer: ProgramAnswer): void {
    const { calls, held } = this.#batch
    for (const [i, got] of answer.calls.entries()) {
      const index = part.calls[i] ?? -1
      const call = calls[index]
      if (call) this.#calls.set(index, outcomeOf(call, got, part.gas))
    }
    for (const [i, found] of answer.scans.entries()) this.#absorbScan(part.scans[i], found)
    for (const { owner, token, data } of answer.held) {
      if (held) this.#held.push({ call: filled(held, token, owner), data })
    }
  }

  #absorbScan(range: ScanRange | undefined, found: ScanAnswer): void {
    const scan = range && this.#scans[range.scan]
    if (!scan) return
    scan.nativeRaw = found.nativeRaw
    for (const [token, raw] of found.balances) scan.balances.set(token, raw)
    for (const token of found.failed) scan.failed.add(token)
    this.#ranges = this.#ranges.flatMap((open) => withoutRange(open, range, range.from + found.done))
  }

  result(): Omit<BatchResult, 'block'> | undefined {
    const { calls } = this.#batch
    if (this.#ranges.length > 0 || this.#calls.size < calls.length) return undefined
    return { scans: this.#scans, held: this.#held, calls: calls.flatMap((_, index) => this.#calls.get(index) ?? []) }
  }
}

function outcomeOf(call: BatchCall, got: CallAnswer, gas: number): CallOutcome {
  if (got.passed) return { kind: 'answered', data: got.data }
  if (got.tooLong) return { kind: 'reverted', why: 'the contract answered more than can be read' }
  if (got.data === '0x' && isGasShort(call, gas)) {
    return { kind: 'failed', error: new UpstreamError('not-allowed', 'the node grants too little gas for this call') }
  }
  return { kind: 'reverted', why: 'the contract refused the call' }
}

/** A scan without tokens has an empty range: it reads the native balance. */
function rangesOf({ lists }: BatchScan, scan: number): ScanRange[] {
  const ranges = lists.map(({ length }, list) => ({ scan, list, from: 0, to: length }))
  const filled = ranges.filter(({ to }) => to > 0)
  return filled.length > 0 ? filled : [{ scan, list: 0, from: 0, to: 0 }]
}

function withoutRange(open: ScanRange, range: ScanRange, doneTo: number): ScanRange[] {
  if (open.scan !== range.scan || open.list !== range.list || range.from < open.from || range.to > open.to)
    return [open]
  const pieces = [
    { ...open, to: range.from },
    { ...open, from: doneTo },
  ]
  return pieces.filter((piece) => piece.from < piece.to)
}
