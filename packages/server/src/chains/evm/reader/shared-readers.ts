import type { WaveQueue, Waves } from './batch-queue.ts'
import type { EvmReader, PlannedCall } from './evm-reader.ts'
import { createSharedWaves, type SharedWaves } from './shared-batches.ts'

export type AnnouncedReader = {
  /** The first reads must follow in the same turn of the event loop. */
  open(plan: readonly PlannedCall[]): EvmReader
  leave(): void
  hadCompany(): boolean
}

type Means = {
  openWaves(chain: string, at?: bigint): WaveQueue
  openReader(chain: string, plan: readonly PlannedCall[], at: bigint | undefined, waves: Waves): EvmReader
}

export function createSharedReaders({ openWaves, openReader }: Means) {
  const byBlock = new Map<string, SharedWaves>()

  function wavesOf(chain: string, at?: bigint): SharedWaves {
    const key = `${chain} ${at ?? ''}`
    const known =
      byBlock.get(key) ??
      createSharedWaves(
        () => openWaves(chain, at),
        () => byBlock.delete(key),
      )
    byBlock.set(key, known)
    return known
  }

  return function announceReader(chain: string, at?: bigint): AnnouncedReader {
    const announce = () => wavesOf(chain, at).announce()
    let seat = announce()
    let isOpened = false
    return {
      open(plan) {
        if (isOpened) {
          seat.leave()
          seat = announce()
        }
        isOpened = true
        return openReader(chain, plan, at, seat.take())
      },
      leave: () => seat.leave(),
      hadCompany: () => seat.hasCompany(),
    }
  }
}
