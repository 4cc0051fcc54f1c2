import { AsyncLocalStorage } from 'node:async_hooks'
import type { Gate } from './concurrency.ts'

const acting = new AsyncLocalStorage<string>()
/** Lane of work without a party, such as jobs. */
const NOBODY = ''
/** A party stays active for so long after its last work ended, in ms: a client sends its reads one by one. */
const ABOUT_MS = 5_000
/** Longest rest, in ms: work that waits for an endpoint takes long without using the process. */
const LONGEST_REST_MS = 1_000

/** Runs `work` on behalf of a party: what it starts waits in fair gates in the party's lane. */
export function onBehalfOf<T>(party: string, work: () => T): T {
  return acting.run(party, work)
}

/** The party on whose behalf this runs; empty for work without one. */
export const actingParty = (): string => acting.getStore() ?? NOBODY

/** Places of a fair gate. */
export type Places = {
  /** Pieces of work that run at once. */
  all: number
  /**
   * Places of one party while no other is active: less than `all`, so that the first work of another starts at once.
   */
  alone: number
  /** Places of one party beside an active one that wants few: small, so that it does not slow the other down. */
  beside: number
  /** Places of work without a party while any party is active; `beside` unless given. */
  jobs?: number
  /** A party limited to `beside` rests after each piece for as long as it took: half of the time is for the other. */
  rests?: boolean
}

/**
 * Runs a bounded number of pieces of work at once. The rest queues in one lane per party (`onBehalfOf`), and lanes take
 * turns, so a long queue of one party does not hold up another. A party is active while its work runs or waits, and 5 s
 * longer. Active parties that want many places share them evenly. Jobs yield to parties, parties never to jobs. `now`
 * in ms.
 */
export function createFairGate(places: Places, now: () => number = () => performance.now()) {
  const { beside, jobs = beside } = places
  let free = places.all
  /** In order of turns. */
  const lanes = new Map<string, (() => void)[]>()
  const running = new Map<string, number>()
  /** When the last work of a party ended, the oldest first. */
  const ended = new Map<string, number>()

  function forgetOld(): void {
    for (const [party, at] of ended) {
      if (now() - at < ABOUT_MS) return
      ended.delete(party)
    }
  }

  const rests = createRests(startAll)

  const demandOf = (party: string) => (running.get(party) ?? 0) + (lanes.get(party)?.length ?? 0)

  /** Other active parties. */
  function othersThan(party: string): Set<string> {
    forgetOld()
    const others = new Set<string>()
    for (const parties of [running, lanes, ended]) {
      for (const other of parties.keys()) if (other !== party && other !== NOBODY) others.add(other)
    }
    return others
  }

  /** Places that a party may have now: an even share beside others that want many, and never less than `beside`. */
  function limitOf(party: string): number {
    const others = othersThan(party)
    if (others.size === 0) return places.alone
    if (party === NOBODY) return jobs
    const part = Math.min(places.alone, Math.floor(places.all / (others.size + 1)))
    const mostWanted = Math.max(...[...others].map(demandOf))
    return Math.max(beside, Math.min(part, mostWanted))
  }

  const mayBegin = (party: string) => free > 0 && !rests.has(party) && (running.get(party) ?? 0) < limitOf(party)

  function begin(party: string): () => void {
    free -= 1
    running.set(party, (running.get(party) ?? 0) + 1)
    const begunAt = now()
    return () => leave(party, begunAt)
  }

  function leave(party: string, begunAt: number): void {
    free += 1
    const left = (running.get(party) ?? 0) - 1
    if (left > 0) running.set(party, left)
    else running.delete(party)
    ended.delete(party)
    ended.set(party, now())
    if (places.rests && lanes.has(party) && limitOf(party) <= beside) rests.begin(party, now() - begunAt)
    startAll()
  }

  function startAll(): void {
    while (startNext());
  }

  /** Starts the next work of the first lane whose party may begin, and moves that lane to the end. */
  function startNext(): boolean {
    for (const [party, lane] of lanes) {
      if (!mayBegin(party)) continue
      const next = lane.shift()
      lanes.delete(party)
      if (lane.length > 0) lanes.set(party, lane)
      next?.()
      return true
    }
    return false
  }

  /** Takes a place, without a promise if one is free. Call the returned function once, when the work has ended. */
  function enter(): (() => void) | Promise<() => void> {
    const party = actingParty()
    if (!lanes.has(party) && mayBegin(party)) return begin(party)
    const lane = lanes.get(party) ?? []
    lanes.set(party, lane)
    return new Promise((resolve) => void lane.push(() => resolve(begin(party))))
  }

  const run: Gate = (work) => inPlace(enter, work)
  return { enter, run }
}

async function inPlace<T>(enter: () => (() => void) | Promise<() => void>, work: () => Promise<T>): Promise<T> {
  const place = enter()
  const end = place instanceof Promise ? await place : place
  try {
    return await work()
  } finally {
    end()
  }
}

/** Parties that rest; `wake` is called when a rest ends. */
function createRests(wake: () => void) {
  const resting = new Set<string>()
  return {
    has: (party: string) => resting.has(party),
    begin(party: string, ms: number): void {
      if (resting.has(party)) return
      resting.add(party)
      const end = () => {
        resting.delete(party)
        wake()
      }
      setTimeout(end, Math.min(ms, LONGEST_REST_MS)).unref()
    },
  }
}
