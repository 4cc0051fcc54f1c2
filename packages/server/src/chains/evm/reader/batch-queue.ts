import { seenLater } from '../../../lib/concurrency.ts'
import { OtherBlock } from '../../rpc/json-rpc.ts'
import { patientPool } from '../../rpc/patient-pool.ts'
import type { Hex } from '../rpc-values.ts'
import { type BatchCall, type BatchResult, type BatchScan, type CallOutcome, keyOfCall } from './batch.ts'
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
  /** The first batch has left. */
  hasLeft(): boolean
}

/** Collects one tick's reads. All batches must see the first one's block. */
export type BatchQueue = {
  join(): Batches
  /** Call once: the first batch may leave. */
  depart(): void
}

type Reader = { otherBlock?: OtherBlock }
type Entry<W, R> = { reader: Reader; what: W; resolve: (result: R) => void; reject: (error: unknown) => void }
type Requests = { calls: Entry<BatchCall, CallOutcome>[]; scans: Entry<BatchScan, Scan>[] }

/**
 * - `waiting`: for `depart`
 * - `idle`: a request makes the next batch leave
 * - `leaving`: the next batch leaves at the end of this turn of the event loop
 * - `settling`: readers of answered batches may add to the next batch before it leaves
 */
type State = 'waiting' | 'idle' | 'leaving' | 'settling'

class Queue {
  readonly block: PinnedBlock
  readonly answers = new Map<string, Promise<CallOutcome>>()
  readonly heldAnswers = new Map<string, Hex>()
  held: HeldCall | undefined
  state: State = 'waiting'
  /** The next batch, from its first request on. */
  next: Requests | undefined
  /** While `settling`: one for each reader of answered batches. */
  readonly settlements: (() => void)[] = []

  constructor(block: PinnedBlock) {
    this.block = block
  }
}

/** Reads of past blocks wait for rate-limited endpoints. */
export function createBatchQueue({ pool, chain, at }: PinnedBlockOptions): BatchQueue {
  const queue = new Queue(new PinnedBlock({ pool: at === undefined ? pool : patientPool(pool), chain, at }))
  return { join: () => join(queue), depart: () => becomeIdle(queue) }
}

function nextBatch(queue: Queue): Requests {
  queue.next ??= { calls: [], scans: [] }
  if (queue.state === 'idle') leaveSoon(queue)
  return queue.next
}

function becomeIdle(queue: Queue): void {
  queue.state = 'idle'
  if (queue.next) leaveSoon(queue)
}

function leaveSoon(queue: Queue): void {
  queue.state = 'leaving'
  setImmediate(leave, queue)
}

function leave(queue: Queue): void {
  const { next, held } = queue
  // If another batch was answered in this turn, its readers come first.
  if (queue.state !== 'leaving' || !next) return
  queue.state = 'idle'
  queue.next = undefined
  const batch = { calls: next.calls.map(({ what }) => what), scans: next.scans.map(({ what }) => what), held }
  queue.block.run(batch).then(
    (result) => void settleInTurn(queue, next, result),
    (error) => {
      for (const { reader, reject } of [...next.calls, ...next.scans]) {
        if (error instanceof OtherBlock) reader.otherBlock = error
        reject(error)
      }
    },
  )
}

/** Waits for all readers: those that continue add to the next batch. */
async function settleInTurn(queue: Queue, { calls, scans }: Requests, result: BatchResult): Promise<void> {
  for (const { call, data } of result.held) queue.heldAnswers.set(keyOfCall(call), data)
  const settled = [
    ...calls.map((entry, i) => ({ reader: entry.reader, settle: () => settle(entry, result.calls[i]) })),
    ...scans.map((entry, i) => ({ reader: entry.reader, settle: () => settle(entry, result.scans[i]) })),
  ]
  for (const [, own] of Map.groupBy(settled, ({ reader }) => reader)) {
    queue.settlements.push(() => {
      for (const one of own) one.settle()
    })
  }
  if (queue.state === 'settling') return
  queue.state = 'settling'
  for (let one = queue.settlements.shift(); one; one = queue.settlements.shift()) {
    one()
    await new Promise((resolve) => setImmediate(resolve))
  }
  becomeIdle(queue)
}

function settle<W, R>(entry: Entry<W, R>, result: R | undefined): void {
  if (result === undefined) entry.reject(new RangeError('a batch has fewer answers than calls'))
  else entry.resolve(result)
}

function call(queue: Queue, reader: Reader, what: BatchCall): Promise<CallOutcome> {
  const key = keyOfCall(what)
  const known = queue.answers.get(key)
  if (known) return known
  const answer = new Promise<CallOutcome>((resolve, reject) =>
    nextBatch(queue).calls.push({ reader, what, resolve, reject }),
  )
  queue.answers.set(key, seenLater(answer))
  return answer
}

function join(queue: Queue): Batches {
  const reader: Reader = {}
  return {
    async header() {
      // A batch without requests pins the block too.
      if (!queue.block.isRequested) nextBatch(queue)
      const header = await queue.block.header
      if (reader.otherBlock) throw reader.otherBlock
      return header
    },
    call: (what) => call(queue, reader, what),
    scan: (what) =>
      new Promise<Scan>((resolve, reject) => nextBatch(queue).scans.push({ reader, what, resolve, reject })),
    prefetch: (what) => void call(queue, reader, what),
    expectHeld(held) {
      queue.held = joinHeld(queue.held, held)
    },
    heldAnswer: (what) => queue.heldAnswers.get(keyOfCall(what)),
    hasLeft: () => queue.block.isRequested,
  }
}
