import type { Batches, BatchQueue } from './batch-queue.ts'
import type { EvmReader, PlannedCall } from './evm-reader.ts'
import { createSharedBatches, type SharedBatches } from './shared-batches.ts'

export type AnnouncedReader = {
  /** The first reads must follow in the same turn of the event loop. */
  open(plan: readonly PlannedCall[]): EvmReader
  leave(): void
  wasShared(): boolean
}

type Means = {
  openBatches(chain: string, at?: bigint): BatchQueue
  openReader(chain: string, plan: readonly PlannedCall[], at: bigint | undefined, batches: Batches): EvmReader
}

export function createSharedReaders({ openBatches, openReader }: Means) {
  const byBlock = new Map<string, SharedBatches>()

  function batchesOf(chain: string, at?: bigint): SharedBatches {
    const key = `${chain} ${at ?? ''}`
    const known =
      byBlock.get(key) ??
      createSharedBatches(
        () => openBatches(chain, at),
        () => byBlock.delete(key),
      )
    byBlock.set(key, known)
    return known
  }

  return function announceReader(chain: string, at?: bigint): AnnouncedReader {
    const announce = () => batchesOf(chain, at).announce()
    let participant = announce()
    let isOpened = false
    return {
      open(plan) {
        if (isOpened) {
          participant.leave()
          participant = announce()
        }
        isOpened = true
        return openReader(chain, plan, at, participant.take())
      },
      leave: () => participant.leave(),
      wasShared: () => participant.isShared(),
    }
  }
}
