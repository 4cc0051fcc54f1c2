import { AsyncLocalStorage } from 'node:async_hooks'
import type { Gate } from './concurrency.ts'

const acting = new AsyncLocalStorage<string>()
/** The lane of work on behalf of nobody, e.g. that of jobs. */
const NOBODY = ''
/** A party is about for so long after its last piece of work has ended: a client's reads come one after the other. */
const ABOUT_MS = 5_000
/** A piece that waits for an endpoint takes long, and nothing of the process. */
const LONGEST_REST_MS = 1_000

/** Runs `work` on behalf of a party: what it starts waits in fair gates in the party's lane. */
export function onBehalfOf<T>(party: string, work: () => T): T {
  return acting.run(party, work)
}

/** Places of a fair gate. */
export type Places = {
  /** Pieces of work that run at once. */
  all: number
  /** Those of one party while no other is about: less than all, so that the first work of another begins at once. */
  alone: number
  /** Those of one party while another is about that wants few: few, so that the other's work is not slowed down. */
  beside: number
  /** Those of work of no party while any is about; as `beside` unless given. */
  jobs?: number
  /** A party that has no more than `beside` rests after a piece for as long as that took: half of the time is the other's. */
  rests?: boolean
}

export type FairGate = {
  run: Gate
  /** Takes a place, at once where one is free; what it gives is to be called once, when the work has ended. */
  enter(): (() => void) | Promise<() => void>
}

/**
 * Lets so many pieces of work run at once. The rest waits in one lane a party (`onBehalfOf`), and lanes take turns: however
 * much one party asks for, the next turn but one is another's. A party is about while its work runs or waits, and five
 * seconds longer. Parties that want many places beside each other share them evenly; jobs give way to parties, and no party to jobs. `now` in ms.
 */
export function createFairGate(places: Places, now: () => number = () => performance.now()): FairGate {
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

  /** Other parties that are about. */
  function othersThan(party: string): Set<string> {
    forgetOld()
    const others = new Set<string>()
    for (const parties of [running, lanes, ended]) {
      for (const other of parties.keys()) if (other !== party && other !== NOBODY) others.add(other)
    }
    return others
  }

  /** Places that a party may have now. Beside others that want many as well it has its part, not the few of `beside`. */
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

  /** The first lane in order whose party may begin; its next turn comes after all others'. */
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

  function enter(): (() => void) | Promise<() => void> {
    const party = acting.getStore() ?? NOBODY
    if (!lanes.has(party) && mayBegin(party)) return begin(party)
    const lane = lanes.get(party) ?? []
    lanes.set(party, lane)
    return new Promise((resolve) => void lane.push(() => resolve(begin(party))))
  }

  return { enter, run: (work) => inPlace(enter, work) }
}

async function inPlace<T>(enter: FairGate['enter'], work: () => Promise<T>): Promise<T> {
  const place = enter()
  const end = place instanceof Promise ? await place : place
  try {
    return await work()
  } finally {
    end()
  }
}

/** Parties that begin nothing for so many ms; `wake` is called whenever one may again. */
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
