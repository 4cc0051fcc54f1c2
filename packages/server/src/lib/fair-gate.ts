import type { Tenant } from './tenant.ts'

const ACTIVE_MS = 5_000
const LONGEST_REST_MS = 1_000

export type Places = {
  all: number
  /** For a tenant without others. Less than `all`, so that another's first work starts at once. */
  alone: number
  /** For each tenant, next to other active ones. */
  least: number
  /** For work without a tenant, next to active ones. Default: `least`. */
  jobs?: number
  /** A tenant limited to `least` rests after each piece, as long as it took. */
  rests?: boolean
}

type Leave = () => void

/** Tenants active in the last 5 s share the places evenly, in turns. Jobs yield to them. */
export class FairGate {
  readonly #places: Places
  readonly #now: () => number
  #free: number
  readonly #queues = new Map<Tenant, (() => void)[]>()
  readonly #running = new Map<Tenant, number>()
  /** Oldest first. */
  readonly #endedAt = new Map<Tenant, number>()
  readonly #resting = new Set<Tenant>()

  /** `now`: ms. */
  constructor(places: Places, now: () => number = () => performance.now()) {
    this.#places = places
    this.#now = now
    this.#free = places.all
  }

  /** Call the returned function once, after the work. */
  enter(tenant: Tenant): Leave | Promise<Leave> {
    const queue = this.#queues.get(tenant)
    if (!queue && this.#mayBegin(tenant)) return this.#begin(tenant)
    const waiting = queue ?? []
    this.#queues.set(tenant, waiting)
    return new Promise((resolve) => void waiting.push(() => resolve(this.#begin(tenant))))
  }

  async run<T>(tenant: Tenant, work: () => Promise<T>): Promise<T> {
    const place = this.enter(tenant)
    const leave = place instanceof Promise ? await place : place
    try {
      return await work()
    } finally {
      leave()
    }
  }

  #begin(tenant: Tenant): Leave {
    this.#free -= 1
    this.#running.set(tenant, this.#runningOf(tenant) + 1)
    const begunAt = this.#now()
    return () => this.#leave(tenant, begunAt)
  }

  #leave(tenant: Tenant, begunAt: number): void {
    this.#free += 1
    const left = this.#runningOf(tenant) - 1
    if (left > 0) this.#running.set(tenant, left)
    else this.#running.delete(tenant)
    this.#endedAt.delete(tenant)
    this.#endedAt.set(tenant, this.#now())
    const { rests, least } = this.#places
    if (rests && this.#queues.has(tenant) && this.#limitOf(tenant) <= least) this.#rest(tenant, this.#now() - begunAt)
    this.#startAll()
  }

  #rest(tenant: Tenant, ms: number): void {
    if (this.#resting.has(tenant)) return
    this.#resting.add(tenant)
    const end = () => {
      this.#resting.delete(tenant)
      this.#startAll()
    }
    setTimeout(end, Math.min(ms, LONGEST_REST_MS)).unref()
  }

  #startAll(): void {
    while (this.#startNext());
  }

  #startNext(): boolean {
    for (const [tenant, queue] of this.#queues) {
      if (!this.#mayBegin(tenant)) continue
      const next = queue.shift()
      // Last in the map: the other tenants are next.
      this.#queues.delete(tenant)
      if (queue.length > 0) this.#queues.set(tenant, queue)
      next?.()
      return true
    }
    return false
  }

  #mayBegin(tenant: Tenant): boolean {
    return this.#free > 0 && !this.#resting.has(tenant) && this.#runningOf(tenant) < this.#limitOf(tenant)
  }

  #limitOf(tenant: Tenant): number {
    const { all, alone, least, jobs = least } = this.#places
    const others = this.#activeOthers(tenant)
    if (others.size === 0) return alone
    if (tenant === undefined) return jobs
    const evenShare = Math.min(alone, Math.floor(all / (others.size + 1)))
    const mostWanted = Math.max(...[...others].map((other) => this.#demandOf(other)))
    return Math.max(least, Math.min(evenShare, mostWanted))
  }

  #activeOthers(tenant: Tenant): Set<Tenant> {
    this.#forgetOld()
    const others = new Set<Tenant>()
    for (const tenants of [this.#running, this.#queues, this.#endedAt]) {
      for (const other of tenants.keys()) if (other !== tenant && other !== undefined) others.add(other)
    }
    return others
  }

  #forgetOld(): void {
    for (const [tenant, at] of this.#endedAt) {
      if (this.#now() - at < ACTIVE_MS) return
      this.#endedAt.delete(tenant)
    }
  }

  #demandOf(tenant: Tenant): number {
    return this.#runningOf(tenant) + (this.#queues.get(tenant)?.length ?? 0)
  }

  #runningOf(tenant: Tenant): number {
    return this.#running.get(tenant) ?? 0
  }
}
