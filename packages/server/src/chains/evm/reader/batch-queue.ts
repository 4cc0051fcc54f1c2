import { OtherBlock } from '../../rpc/json-rpc.ts'
import type { Hex } from '../rpc-values.ts'
import { type BatchCall, type BatchScan, type CallOutcome, keyOfCall } from './batch.ts'
import type { BlockHeader, Scan } from './evm-reader.ts'
import { createHeldCalls, type HeldCall } from './held-call.ts'
import { createPinnedBlock, type PinnedBlockOptions } from './pinned-block.ts'

export type Batches = {
  /** Rejects if a batch of this reader ran on another block. */
  header(): Promise<BlockHeader>
  call(call: BatchCall): Promise<CallOutcome>
  scan(scan: BatchScan): Promise<Scan>
  prefetch(call: BatchCall): void
  /** A queue has one such call. */
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

export function createBatchQueue(options: PinnedBlockOptions): BatchQueue {
  const block = createPinnedBlock(options)
  const answers = new Map<string, Promise<CallOutcome>>()
  const held = createHeldCalls()
  let calls: Entry<BatchCall, CallOutcome>[] = []
  let scans: Entry<BatchScan, Scan>[] = []
  let mayLeave = false
  let hasLeft = false
  let isAsked = false
  let isScheduled = false
  let settling = 0

  /** Waits until all readers have their answers: those that continue add to the next batch. */
  function schedule(): void {
    if (isScheduled || !mayLeave || settling > 0) return
    isScheduled = true
    setImmediate(flush)
  }

  function ask(): void {
    isAsked = true
    schedule()
  }

  function flush(): void {
    isScheduled = false
    isAsked = false
    const [batchCalls, batchScans] = [calls, scans]
    if (hasLeft && batchCalls.length + batchScans.length === 0) return
    calls = []
    scans = []
    const reads = { calls: batchCalls.map(({ what }) => what), scans: batchScans.map(({ what }) => what) }
    const batch = { ...reads, held: held.wanted() }
    const running = hasLeft ? block.runLater(batch) : block.runFirst(batch)
    hasLeft = true
    running.then(
      (result) => {
        held.keep(result.held)
        void settleInTurn([
          ...batchCalls.map((entry, i) => ({ reader: entry.reader, settle: () => settle(entry, result.calls[i]) })),
          ...batchScans.map((entry, i) => ({ reader: entry.reader, settle: () => settle(entry, result.scans[i]) })),
        ])
      },
      (error) => rejectAll([...batchCalls, ...batchScans], error),
    )
  }

  async function settleInTurn(settled: readonly { reader: Reader; settle: () => void }[]): Promise<void> {
    settling += 1
    for (const [, own] of Map.groupBy(settled, ({ reader }) => reader)) {
      for (const one of own) one.settle()
      await new Promise((resolve) => setImmediate(resolve))
    }
    settling -= 1
    if (isAsked) schedule()
  }

  function call(reader: Reader, what: BatchCall): Promise<CallOutcome> {
    const key = keyOfCall(what)
    const known = answers.get(key)
    if (known) return known
    const answer = new Promise<CallOutcome>((resolve, reject) => calls.push({ reader, what, resolve, reject }))
    answer.catch(() => undefined)
    answers.set(key, answer)
    ask()
    return answer
  }

  return {
    join: () =>
      joined({ ask, call, held, hasLeft: () => hasLeft, header: block.header, addScan: (scan) => scans.push(scan) }),
    depart() {
      mayLeave = true
      if (isAsked) schedule()
    },
  }
}

function rejectAll(entries: readonly Pick<Entry<never, never>, 'reader' | 'reject'>[], error: unknown): void {
  for (const { reader, reject } of entries) {
    if (error instanceof OtherBlock) reader.otherBlock = error
    reject(error)
  }
}

type Queued = {
  ask(): void
  call(reader: Reader, what: BatchCall): Promise<CallOutcome>
  addScan(entry: Entry<BatchScan, Scan>): void
  held: Pick<Batches, 'expectHeld' | 'heldAnswer'>
  hasLeft(): boolean
  header: Promise<BlockHeader>
}

function joined(queue: Queued): Batches {
  const reader: Reader = {}
  const first = new Set<string>()
  return {
    async header() {
      if (!queue.hasLeft()) queue.ask()
      const header = await queue.header
      if (reader.otherBlock) throw reader.otherBlock
      return header
    },
    call(what) {
      if (!queue.hasLeft()) first.add(keyOfCall(what))
      return queue.call(reader, what)
    },
    scan: (what) =>
      new Promise<Scan>((resolve, reject) => {
        queue.addScan({ reader, what, resolve, reject })
        queue.ask()
      }),
    prefetch(what) {
      void queue.call(reader, what)
    },
    expectHeld: queue.held.expectHeld,
    heldAnswer: queue.held.heldAnswer,
    isLater: (key) => queue.hasLeft() && !first.has(key),
  }
}

function settle<W, R>(entry: Entry<W, R>, result: R | undefined): void {
  if (result === undefined) entry.reject(new RangeError('a wave answered less than it was asked'))
  else entry.resolve(result)
}
