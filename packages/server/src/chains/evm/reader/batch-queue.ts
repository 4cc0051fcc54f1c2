import { seenLater } from '../../../lib/concurrency.ts'
import { OtherBlock } from '../../rpc/json-rpc.ts'
import { patientPool } from '../../rpc/patient-pool.ts'
import type { Hex } from '../rpc-values.ts'
import { type BatchCall, type BatchScan, type CallOutcome, keyOfCall } from './batch.ts'
import type { BlockHeader, Scan } from './evm-reader.ts'
import { type HeldCall, joinHeld } from './held-call.ts'
import { PinnedBlock, type PinnedBlockOptions } from './pinned-block.ts'

export type Batches = {
  /** Rejects if a batch of this reader ran on another block. */
  header(): Promise<BlockHeader>
  call(call: BatchCall): Promise<CallOutcome>
  scan(scan: BatchScan): Promise<Scan>
  prefetch(call: BatchCall): void
  expectHeld(held: HeldCall): void
  heldAnswer(call: BatchCall): Hex | undefined
  /** Requested after the first batch had left. */
  isLater(key: string): boolean
}

/** Collects one tick's reads. All batches must see the first one's block. */
export type BatchQueue = {
  join(): Batches
  depart(): void
}

type Reader = { otherBlock?: OtherBlock }
type Entry<W, R> = { reader: Reader; what: W; resolve: (result: R) => void; reject: (error: unknown) => void }

class Queue {
  readonly block: PinnedBlock
  readonly answers = new Map<string, Promise<CallOutcome>>()
  readonly heldAnswers = new Map<string, Hex>()
  readonly calls: Entry<BatchCall, CallOutcome>[] = []
  readonly scans: Entry<BatchScan, Scan>[] = []
  held: HeldCall | undefined
  mayLeave = false
  hasLeft = false
  isAsked = false
  isScheduled = false
  /** Answered batches whose readers may still add to the next one. */
  settling = 0

  constructor(block: PinnedBlock) {
    this.block = block
  }
}

/** Reads of past blocks wait for rate-limited endpoints. */
export function openBatches({ pool, chain, at }: PinnedBlockOptions): BatchQueue {
  const queue = new Queue(new PinnedBlock({ pool: at === undefined ? pool : patientPool(pool), chain, at }))
  return {
    join: () => join(queue),
    depart() {
      queue.mayLeave = true
      if (queue.isAsked) ask(queue)
    },
  }
}

/** Waits for all readers: those that continue add to the next batch. */
function ask(queue: Queue): void {
  queue.isAsked = true
  if (queue.isScheduled || !queue.mayLeave || queue.settling > 0) return
  queue.isScheduled = true
  setImmediate(flush, queue)
}

function flush(queue: Queue): void {
  queue.isScheduled = false
  queue.isAsked = false
  const { block, held } = queue
  const [calls, scans] = [queue.calls.splice(0), queue.scans.splice(0)]
  if (queue.hasLeft && calls.length + scans.length === 0) return
  const batch = { calls: calls.map(({ what }) => what), scans: scans.map(({ what }) => what), held }
  const running = queue.hasLeft ? block.runLater(batch) : block.runFirst(batch)
  queue.hasLeft = true
  running.then(
    (result) => {
      for (const { call, data } of result.held) queue.heldAnswers.set(keyOfCall(call), data)
      void settleInTurn(queue, [
        ...calls.map((entry, i) => ({ reader: entry.reader, settle: () => settle(entry, result.calls[i]) })),
        ...scans.map((entry, i) => ({ reader: entry.reader, settle: () => settle(entry, result.scans[i]) })),
      ])
    },
    (error) => {
      for (const { reader, reject } of [...calls, ...scans]) {
        if (error instanceof OtherBlock) reader.otherBlock = error
        reject(error)
      }
    },
  )
}

async function settleInTurn(queue: Queue, settled: readonly { reader: Reader; settle: () => void }[]): Promise<void> {
  queue.settling += 1
  for (const [, own] of Map.groupBy(settled, ({ reader }) => reader)) {
    for (const one of own) one.settle()
    await new Promise((resolve) => setImmediate(resolve))
  }
  queue.settling -= 1
  if (queue.isAsked) ask(queue)
}

function settle<W, R>(entry: Entry<W, R>, result: R | undefined): void {
  if (result === undefined) entry.reject(new RangeError('a batch has fewer answers than calls'))
  else entry.resolve(result)
}

function call(queue: Queue, reader: Reader, what: BatchCall): Promise<CallOutcome> {
  const key = keyOfCall(what)
  const known = queue.answers.get(key)
  if (known) return known
  const answer = new Promise<CallOutcome>((resolve, reject) => queue.calls.push({ reader, what, resolve, reject }))
  queue.answers.set(key, seenLater(answer))
  ask(queue)
  return answer
}

function join(queue: Queue): Batches {
  const reader: Reader = {}
  const first = new Set<string>()
  return {
    async header() {
      if (!queue.hasLeft) ask(queue)
      const header = await queue.block.header
      if (reader.otherBlock) throw reader.otherBlock
      return header
    },
    call(what) {
      if (!queue.hasLeft) first.add(keyOfCall(what))
      return call(queue, reader, what)
    },
    scan: (what) =>
      new Promise<Scan>((resolve, reject) => {
        queue.scans.push({ reader, what, resolve, reject })
        ask(queue)
      }),
    prefetch: (what) => void call(queue, reader, what),
    expectHeld(held) {
      queue.held = joinHeld(queue.held, held)
    },
    heldAnswer: (what) => queue.heldAnswers.get(keyOfCall(what)),
    isLater: (key) => queue.hasLeft && !first.has(key),
  }
}
