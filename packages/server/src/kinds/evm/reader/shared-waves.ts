import { actingParty } from '../../../lib/fair-gate.ts'
import type { WaveQueue, Waves } from './wave-queue.ts'

/** Readers of one queue: enough to share what is the same for all, few enough that one failure is not that of too many. */
const MOST_READERS = 128
/** Longest wait for readers that are announced and still load what they need, in ms. */
const WAIT_MS = 30
/**
 * While a party has so many readers under way, its next ones come one by one as others end: they wait so many ms for each
 * other. A reader of another party does not wait, nor do those that share with it.
 */
const MANY_READERS = 64
const WAIT_AMONG_MANY_MS = 300

/** The place of one reader among those that share waves. */
type Seat = {
  /** The reader's first reads, made in the same turn of the event loop, leave with those of the others. */
  take(): Waves
  /** The reader has ended, or the others no longer wait for it. */
  leave(): void
  hasCompany(): boolean
}

export type SharedWaves = {
  /** Announces a reader. Its waves are those of the readers announced before whose first wave has not left. */
  announce(): Seat
}

/**
 * Queues that readers which begin at about the same time share: one block, each call once, few requests. `onIdle`: no
 * reader is announced or under way any more.
 */
export function createSharedWaves(createQueue: () => WaveQueue, onIdle: () => void): SharedWaves {
  let open: Company | undefined
  let announced = 0
  const underWay = createCounts()

  function announce(): Seat {
    if (!open?.hasRoom()) {
      const company = createCompany(createQueue(), underWay, () => {
        if (open === company) open = undefined
      })
      open = company
    }
    announced += 1
    return open.announce(() => {
      announced -= 1
      if (announced === 0) onIdle()
    })
  }

  return { announce }
}

type Company = ReturnType<typeof createCompany>
type Counts = ReturnType<typeof createCounts>

/** Readers of one queue, which departs when all of them have a seat, or have kept one waiting too long. */
function createCompany(queue: WaveQueue, underWay: Counts, onDeparture: () => void) {
  /** The parties of its readers that have not ended. */
  const parties = new Map<symbol, string>()
  let announced = 0
  let expected = 0
  let hasDeparted = false
  let timer: NodeJS.Timeout | undefined
  const hasRoom = () => announced < MOST_READERS

  function depart(): void {
    clearTimeout(timer)
    hasDeparted = true
    for (const party of parties.values()) underWay.add(party, 1)
    onDeparture()
    queue.depart()
  }

  function arrive(party: string): void {
    expected -= 1
    if (hasDeparted) return
    const waits = hasRoom() && underWay.of(party) >= MANY_READERS
    if (expected === 0 && !waits) depart()
    else timer ??= setTimeout(depart, waits ? WAIT_AMONG_MANY_MS : WAIT_MS)
  }

  function announce(onEnd: () => void): Seat {
    const [reader, party] = [Symbol(), actingParty()]
    parties.set(reader, party)
    announced += 1
    expected += 1
    let isExpected = true
    const settle = () => {
      if (!isExpected) return
      isExpected = false
      arrive(party)
    }
    return {
      take() {
        settle()
        return queue.join()
      },
      leave() {
        if (!parties.delete(reader)) return
        if (hasDeparted) underWay.add(party, -1)
        onEnd()
        settle()
      },
      hasCompany: () => announced > 1,
    }
  }

  return { announce, hasRoom }
}

/** Readers by party. */
function createCounts() {
  const counts = new Map<string, number>()
  return {
    of: (party: string) => counts.get(party) ?? 0,
    add(party: string, change: number): void {
      const count = (counts.get(party) ?? 0) + change
      if (count > 0) counts.set(party, count)
      else counts.delete(party)
    },
  }
}
