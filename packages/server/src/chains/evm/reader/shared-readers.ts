import { actingTenant } from '../../../lib/fair-gate.ts'
import type { Batches, BatchQueue } from './batch-queue.ts'
import type { AnnouncedReader, EvmReader, PlannedCall } from './evm-reader.ts'

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

/** Enough to share common calls, few enough to bound the effect of one failure. */
const MOST_READERS = 128
const WAIT_MS = 30
/** From this many running readers of a tenant, its next ones wait for each other. */
const MANY_READERS = 64
const WAIT_AMONG_MANY_MS = 300

type Participant = {
  take(): Batches
  leave(): void
  isShared(): boolean
}

type SharedBatches = {
  announce(): Participant
}

export function createSharedBatches(createQueue: () => BatchQueue, onIdle: () => void): SharedBatches {
  let open: ReaderGroup | undefined
  let announced = 0
  const underWay = createCounts()

  function announce(): Participant {
    if (!open?.hasRoom()) {
      const group = createReaderGroup(createQueue(), underWay, () => {
        if (open === group) open = undefined
      })
      open = group
    }
    announced += 1
    return open.announce(() => {
      announced -= 1
      if (announced === 0) onIdle()
    })
  }

  return { announce }
}

type ReaderGroup = ReturnType<typeof createReaderGroup>
type Counts = ReturnType<typeof createCounts>

function createReaderGroup(queue: BatchQueue, underWay: Counts, onDeparture: () => void) {
  const tenants = new Map<symbol, string>()
  let announced = 0
  let expected = 0
  let hasDeparted = false
  let timer: NodeJS.Timeout | undefined
  const hasRoom = () => announced < MOST_READERS

  function depart(): void {
    clearTimeout(timer)
    hasDeparted = true
    for (const tenant of tenants.values()) underWay.add(tenant, 1)
    onDeparture()
    queue.depart()
  }

  function arrive(tenant: string): void {
    expected -= 1
    if (hasDeparted) return
    const waits = hasRoom() && underWay.of(tenant) >= MANY_READERS
    if (expected === 0 && !waits) depart()
    else timer ??= setTimeout(depart, waits ? WAIT_AMONG_MANY_MS : WAIT_MS)
  }

  function announce(onEnd: () => void): Participant {
    const [reader, tenant] = [Symbol(), actingTenant()]
    tenants.set(reader, tenant)
    announced += 1
    expected += 1
    let isExpected = true
    const settle = () => {
      if (!isExpected) return
      isExpected = false
      arrive(tenant)
    }
    return {
      take() {
        settle()
        return queue.join()
      },
      leave() {
        if (!tenants.delete(reader)) return
        if (hasDeparted) underWay.add(tenant, -1)
        onEnd()
        settle()
      },
      isShared: () => announced > 1,
    }
  }

  return { announce, hasRoom }
}

function createCounts() {
  const counts = new Map<string, number>()
  return {
    of: (tenant: string) => counts.get(tenant) ?? 0,
    add(tenant: string, change: number): void {
      const count = (counts.get(tenant) ?? 0) + change
      if (count > 0) counts.set(tenant, count)
      else counts.delete(tenant)
    },
  }
}
