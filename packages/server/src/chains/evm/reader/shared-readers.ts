import { currentTenant, type Tenant } from '../../../lib/tenant.ts'
import type { Batches, BatchQueue } from './batch-queue.ts'
import type { AnnouncedReader, EvmReader, PlannedCall } from './evm-reader.ts'

type Means = {
  createBatchQueue(chain: string, at?: bigint): BatchQueue
  openReader(chain: string, plan: readonly PlannedCall[], at: bigint | undefined, batches: Batches): EvmReader
}

export function createSharedReaders({ createBatchQueue, openReader }: Means) {
  const byBlock = new Map<string, () => Participant>()

  function announceTo(chain: string, at?: bigint): Participant {
    const key = `${chain} ${at ?? ''}`
    const announce =
      byBlock.get(key) ??
      createSharedBatches(
        () => createBatchQueue(chain, at),
        () => byBlock.delete(key),
      )
    byBlock.set(key, announce)
    return announce()
  }

  return function announceReader(chain: string, at?: bigint): AnnouncedReader {
    let participant = announceTo(chain, at)
    let isOpened = false
    return {
      open(plan) {
        if (isOpened) {
          participant.leave()
          participant = announceTo(chain, at)
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

type ReaderGroup = {
  queue: BatchQueue
  /** By reader. */
  tenants: Map<symbol, Tenant>
  announced: number
  expected: number
  hasDeparted: boolean
  timer?: NodeJS.Timeout
}

/** Returns `announce`. */
export function createSharedBatches(createQueue: () => BatchQueue, onIdle: () => void): () => Participant {
  let open: ReaderGroup | undefined
  let announced = 0
  /** Running readers by tenant. */
  const underWay = new Map<Tenant, number>()

  function count(tenant: Tenant, change: number): void {
    const running = (underWay.get(tenant) ?? 0) + change
    if (running > 0) underWay.set(tenant, running)
    else underWay.delete(tenant)
  }

  function depart(group: ReaderGroup): void {
    clearTimeout(group.timer)
    group.hasDeparted = true
    for (const tenant of group.tenants.values()) count(tenant, 1)
    if (open === group) open = undefined
    group.queue.depart()
  }

  function arrive(group: ReaderGroup, tenant: Tenant): void {
    group.expected -= 1
    if (group.hasDeparted) return
    const waits = group.announced < MOST_READERS && (underWay.get(tenant) ?? 0) >= MANY_READERS
    if (group.expected === 0 && !waits) depart(group)
    else group.timer ??= setTimeout(depart, waits ? WAIT_AMONG_MANY_MS : WAIT_MS, group)
  }

  function createGroup(): ReaderGroup {
    if (open && open.announced < MOST_READERS) return open
    open = { queue: createQueue(), tenants: new Map(), announced: 0, expected: 0, hasDeparted: false }
    return open
  }

  return function announce() {
    const group = createGroup()
    const [reader, tenant] = [Symbol(), currentTenant()]
    group.tenants.set(reader, tenant)
    group.announced += 1
    group.expected += 1
    announced += 1
    let isExpected = true
    const settle = () => {
      if (isExpected) arrive(group, tenant)
      isExpected = false
    }
    return {
      take() {
        settle()
        return group.queue.join()
      },
      leave() {
        if (!group.tenants.delete(reader)) return
        if (group.hasDeparted) count(tenant, -1)
        announced -= 1
        if (announced === 0) onIdle()
        settle()
      },
      isShared: () => group.announced > 1,
    }
  }
}
