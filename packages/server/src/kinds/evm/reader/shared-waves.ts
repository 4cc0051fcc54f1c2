import type { WaveQueue, Waves } from './wave-queue.ts'

/** Readers of one queue: enough to share what is the same for all, few enough that one failure is not that of too many. */
const MOST_READERS = 128
/** Longest wait for readers that are announced and still load what they need, in ms. */
const WAIT_MS = 30

/** The place of one reader among those that share waves. */
type Seat = {
  /** The reader's first reads, made in the same turn of the event loop, leave with those of the others. */
  take(): Waves
  /** The others no longer wait for this reader. Does nothing once the seat is taken. */
  leave(): void
  hasCompany(): boolean
}

export type SharedWaves = {
  /** Announces a reader. Its waves are those of the readers announced before whose first wave has not left. */
  announce(): Seat
}

/**
 * Queues that readers which begin at about the same time share: one block, each call once, few requests. `onIdle`: no
 * announced reader waits any more.
 */
export function createSharedWaves(createQueue: () => WaveQueue, onIdle: () => void): SharedWaves {
  let open: Company | undefined

  function announce(): Seat {
    if (!open?.hasRoom()) {
      const company = createCompany(createQueue(), () => {
        if (open !== company) return
        open = undefined
        onIdle()
      })
      open = company
    }
    return open.announce()
  }

  return { announce }
}

type Company = ReturnType<typeof createCompany>

/** Readers of one queue, which departs when all of them have a seat, or have kept one waiting too long. */
function createCompany(queue: WaveQueue, onDeparture: () => void) {
  let announced = 0
  let expected = 0
  let timer: NodeJS.Timeout | undefined

  function depart(): void {
    clearTimeout(timer)
    onDeparture()
    queue.depart()
  }

  function arrive(): void {
    expected -= 1
    if (expected === 0) depart()
    else timer ??= setTimeout(depart, WAIT_MS)
  }

  function announce(): Seat {
    announced += 1
    expected += 1
    let isExpected = true
    const settle = () => {
      if (!isExpected) return
      isExpected = false
      arrive()
    }
    return {
      take() {
        settle()
        return queue.join()
      },
      leave: settle,
      hasCompany: () => announced > 1,
    }
  }

  return { announce, hasRoom: () => announced < MOST_READERS }
}
