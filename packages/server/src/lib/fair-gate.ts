import { AsyncLocalStorage } from 'node:async_hooks'
import type { Gate } from './concurrency.ts'

const acting = new AsyncLocalStorage<string>()
/** Work without a tenant, such as jobs. */
const NOBODY = ''
/** A client sends its reads one by one. */
const ABOUT_MS = 5_000
/** Waiting for an endpoint does not use the process. */
const LONGEST_REST_MS = 1_000

/** `party`: a tenant, with its own queue in fair gates. */
export function onBehalfOf<T>(party: string, work: () => T): T {
  return acting.run(party, work)
}

export const actingParty = (): string => acting.getStore() ?? NOBODY

export type Places = {
  all: number
  /** Less than `all`, so that another's first work starts at once. */
  alone: number
  /** Next to an active tenant that wants few. */
  beside: number
  /** Default: `beside`. */
  jobs?: number
  /** A tenant limited to `beside` rests after each piece, as long as it took. */
  rests?: boolean
}

/**
 * One queue per tenant; queues take turns. Active tenants, until 5 s after their work, share the places evenly. Jobs
 * yield to tenants, never the reverse. `now`: ms.
 */
export function createFairGate(places: Places, now: () => number = () => performance.now()) {
  const { beside, jobs = beside } = places
  let free = places.all
  /** In order of turns. */
  const lanes = new Map<string, (() => void)[]>()
  const running = new Map<string, number>()
  /** Oldest first. */
  const ended = new Map<string, number>()

  function forgetOld(): void {
    for (const [party, at] of ended) {
      if (now() - at < ABOUT_MS) return
      ended.delete(party)
    }
  }

  const rests = createRests(startAll)

  const demandOf = (party: string) => (running.get(party) ?? 0) + (lanes.get(party)?.length ?? 0)

  function othersThan(party: string): Set<string> {
    forgetOld()
    const others = new Set<string>()
    for (const parties of [running, lanes, ended]) {
      for (const other of parties.keys()) if (other !== party && other !== NOBODY) others.add(other)
    }
    return others
  }

  /** An even share, never less than `beside`. */
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

  /** Call the returned function once, after the work. */
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
