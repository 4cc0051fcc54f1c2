import { OtherBlock } from '../../rpc/json-rpc.ts'
import type { BlockHeader, Scan } from './evm-reader.ts'
import { createPinnedBlock, type PinnedBlockOptions } from './pinned-block.ts'
import type { CallOutcome, Wave, WaveCall, WaveScan } from './wave.ts'

/**
 * Collects the reads of one tick into a wave and runs it. The first wave finds the block, unless one is given; all
 * others run at its number and must see the same block. Deduplicates calls.
 */
export type WaveQueue = {
  /** Rejects if a wave failed since, because it ran on another block. */
  header(): Promise<BlockHeader>
  call(call: WaveCall): Promise<CallOutcome>
  scan(scan: WaveScan): Promise<Scan>
  /** Adds a call to the first wave before a caller asks for it. */
  prefetch(call: WaveCall): void
  /** Whether the first wave has left. */
  isUnderWay(): boolean
  /** Whether a caller asked for this call before the first wave left. */
  leftFirst(key: string): boolean
}

type Entry<W, R> = { what: W; resolve: (result: R) => void; reject: (error: unknown) => void }

export function createWaveQueue(options: PinnedBlockOptions): WaveQueue {
  const block = createPinnedBlock(options)
  const answers = new Map<string, Promise<CallOutcome>>()
  const first = new Set<string>()
  let calls: Entry<WaveCall, CallOutcome>[] = []
  let scans: Entry<WaveScan, Scan>[] = []
  let hasLeft = false
  let isScheduled = false
  let otherBlock: OtherBlock | undefined

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(flush)
  }

  function flush(): void {
    isScheduled = false
    const [waveCalls, waveScans] = [calls, scans]
    if (hasLeft && waveCalls.length + waveScans.length === 0) return
    calls = []
    scans = []
    const wave: Wave = { calls: waveCalls.map(({ what }) => what), scans: waveScans.map(({ what }) => what) }
    const running = hasLeft ? block.runLater(wave) : block.runFirst(wave)
    hasLeft = true
    running.then(
      (result) => {
        for (const [i, entry] of waveCalls.entries()) settle(entry, result.calls[i])
        for (const [i, entry] of waveScans.entries()) settle(entry, result.scans[i])
      },
      (error) => {
        if (error instanceof OtherBlock) otherBlock = error
        for (const { reject } of [...waveCalls, ...waveScans]) reject(error)
      },
    )
  }

  function call(what: WaveCall): Promise<CallOutcome> {
    const key = `${what.to}${what.data}`
    const known = answers.get(key)
    if (known) return known
    const answer = new Promise<CallOutcome>((resolve, reject) => calls.push({ what, resolve, reject }))
    answer.catch(() => undefined)
    answers.set(key, answer)
    schedule()
    return answer
  }

  return {
    async header() {
      if (!hasLeft) schedule()
      const header = await block.header
      if (otherBlock) throw otherBlock
      return header
    },
    call(what) {
      if (!hasLeft) first.add(`${what.to}${what.data}`)
      return call(what)
    },
    scan: (what) =>
      new Promise<Scan>((resolve, reject) => {
        scans.push({ what, resolve, reject })
        schedule()
      }),
    prefetch(what) {
      void call(what)
    },
    isUnderWay: () => hasLeft,
    leftFirst: (key) => first.has(key),
  }
}

function settle<W, R>(entry: Entry<W, R>, result: R | undefined): void {
  if (result === undefined) entry.reject(new RangeError('a wave answered less than it was asked'))
  else entry.resolve(result)
}
