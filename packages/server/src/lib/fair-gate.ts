import { AsyncLocalStorage } from 'node:async_hooks'
import type { Gate } from './concurrency.ts'

const acting = new AsyncLocalStorage<string>()
/** Work without a tenant, such as jobs. */
const NOBODY = ''
const ABOUT_MS = 5_000
const LONGEST_REST_MS = 1_000

export function onBehalfOf<T>(tenant: string, work: () => T): T {
  return acting.run(tenant, work)
}

export const actingTenant = (): string => acting.getStore() ?? NOBODY

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

/** Tenants active in the last 5 s share the places evenly, in turns. Jobs yield to them. `now`: ms. */
export function createFairGate(places: Places, now: () => number = () => performance.now()) {
  const { beside, jobs = beside } = places
  let free = places.all
  const lanes = new Map<string, (() => void)[]>()
  const running = new Map<string, number>()
  /** Oldest first. */
  const ended = new Map<string, number>()

  function forgetOld(): void {
    for (const [tenant, at] of ended) {
      if (now() - at < ABOUT_MS) return
      ended.delete(tenant)
    }
  }

  const rests = createRests(startAll)

  const demandOf = (tenant: string) => (running.get(tenant) ?? 0) + (lanes.get(tenant)?.length ?? 0)

  function othersThan(tenant: string): Set<string> {
    forgetOld()
    const others = new Set<string>()
    for (const tenants of [running, lanes, ended]) {
      for (const other of tenants.keys()) if (other !== tenant && other !== NOBODY) others.add(other)
    }
    return others
  }

  /** An even share, never less than `beside`. */
  function limitOf(tenant: string): number {
    const others = othersThan(tenant)
    if (others.size === 0) return places.alone
    if (tenant === NOBODY) return jobs
    const part = Math.min(places.alone, Math.floor(places.all / (others.size + 1)))
    const mostWanted = Math.max(...[...others].map(demandOf))
    return Math.max(beside, Math.min(part, mostWanted))
  }

  const mayBegin = (tenant: string) => free > 0 && !rests.has(tenant) && (running.get(tenant) ?? 0) < limitOf(tenant)

  function begin(tenant: string): () => void {
    free -= 1
    running.set(tenant, (running.get(tenant) ?? 0) + 1)
    const begunAt = now()
    return () => leave(tenant, begunAt)
  }

  function leave(tenant: string, begunAt: number): void {
    free += 1
    const left = (running.get(tenant) ?? 0) - 1
    if (left > 0) running.set(tenant, left)
    else running.delete(tenant)
    ended.delete(tenant)
    ended.set(tenant, now())
    if (places.rests && lanes.has(tenant) && limitOf(tenant) <= beside) rests.begin(tenant, now() - begunAt)
    startAll()
  }

  function startAll(): void {
    while (startNext());
  }

  function startNext(): boolean {
    for (const [tenant, lane] of lanes) {
      if (!mayBegin(tenant)) continue
      const next = lane.shift()
      lanes.delete(tenant)
      if (lane.length > 0) lanes.set(tenant, lane)
      next?.()
      return true
    }
    return false
  }

  /** Call the returned function once, after the work. */
  function enter(): (() => void) | Promise<() => void> {
    const tenant = actingTenant()
    if (!lanes.has(tenant) && mayBegin(tenant)) return begin(tenant)
    const lane = lanes.get(tenant) ?? []
    lanes.set(tenant, lane)
    return new Promise((resolve) => void lane.push(() => resolve(begin(tenant))))
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
    has: (tenant: string) => resting.has(tenant),
    begin(tenant: string, ms: number): void {
      if (resting.has(tenant)) return
      resting.add(tenant)
      const end = () => {
        resting.delete(tenant)
        wake()
      }
      setTimeout(end, Math.min(ms, LONGEST_REST_MS)).unref()
    },
  }
}
