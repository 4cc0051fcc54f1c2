import { actingParty } from '../../../lib/fair-gate.ts'
import type { WaveQueue, Waves } from './batch-queue.ts'

/** Enough to share common calls, few enough to bound the effect of one failure. */
const MOST_READERS = 128
const WAIT_MS = 30
/** With this many running readers of a tenant, its next readers wait for each other. */
const MANY_READERS = 64
const WAIT_AMONG_MANY_MS = 300

type Seat = {
  take(): Waves
  leave(): void
  hasCompany(): boolean
}

export type SharedWaves = {
  announce(): Seat
}

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

function createCompany(queue: WaveQueue, underWay: Counts, onDeparture: () => void) {
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
