import pg from 'pg'
import { RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible'
import type { Rate } from '../../http/gates.ts'

export type RateLimits = ReturnType<typeof createRateLimits>

const windowSeconds = 60
/** The library only counts: each subject has its own limit. */
const settings = { points: Number.MAX_SAFE_INTEGER, duration: windowSeconds }
const quietMs = 60_000

/** Without a pool each process counts alone; while the store fails, with half the limit. */
export function createRateLimits(options: { pool?: pg.Pool; log: (message: string) => void }) {
  const memory = createMemoryWindows(windowSeconds * 1000)
  const shared = options.pool && sharedLimiter(options.pool)
  let quietUntil = 0

  const ask = async (work: () => Promise<RateLimiterRes>): Promise<Count | undefined> => {
    try {
      const { consumedPoints, msBeforeNext } = await work()
      return { consumed: consumedPoints, msBeforeNext }
    } catch (error) {
      if (Date.now() < quietUntil) return undefined
      quietUntil = Date.now() + quietMs
      options.log(
        `the store of rate limits does not answer; each process counts for itself with half the limit: ${String(error)}`,
      )
      return undefined
    }
  }

  async function takeShared(limiter: RateLimiterPostgres, subject: string, limit: number): Promise<Rate> {
    const count = await ask(() => limiter.consume(subject))
    return count ? windowOf(count, limit) : windowOf(memory.add(subject, 1), Math.ceil(limit / 2))
  }

  async function giveBackShared(limiter: RateLimiterPostgres, subject: string): Promise<void> {
    if (!(await ask(() => limiter.reward(subject)))) memory.add(subject, -1)
  }

  /** Synchronous in memory. Never rejects. */
  const take = (subject: string, limit: number): Rate | Promise<Rate> =>
    shared ? takeShared(shared, subject, limit) : windowOf(memory.add(subject, 1), limit)

  /** Never rejects. */
  const giveBack = (subject: string): void | Promise<void> =>
    shared ? giveBackShared(shared, subject) : void memory.add(subject, -1)

  /** A request that one window refuses is not counted in the other. */
  function takeBoth(one: Window, all: Window): Rate | Promise<Rate> {
    const own = take(one.subject, one.limit)
    const whole = take(all.subject, all.limit)
    if (!(own instanceof Promise || whole instanceof Promise) && own.allowed && whole.allowed) return own
    return Promise.all([own, whole]).then(async ([mine, ofAll]) => {
      if (mine.allowed === ofAll.allowed) return mine
      await giveBack(mine.allowed ? one.subject : all.subject)
      return mine.allowed ? ofAll : mine
    })
  }

  return { take, takeBoth }
}

type Window = { subject: string; limit: number }

function sharedLimiter(pool: pg.Pool): RateLimiterPostgres {
  return new RateLimiterPostgres({
    ...settings,
    keyPrefix: '',
    // The library expects numbers; the pool reads int8 as bigint.
    storeClient: { query: (query: pg.QueryConfig) => pool.query({ ...query, types: pg.types }) },
    storeType: 'client',
    tableName: 'rate_limit_window',
    tableCreated: true,
  })
}

function windowOf({ consumed, msBeforeNext }: Count, limit: number): Rate {
  const left = Math.max(msBeforeNext, 0)
  return {
    allowed: consumed <= limit,
    limit,
    remaining: Math.max(limit - consumed, 0),
    resetAt: Math.ceil((Date.now() + left) / 1000),
    retryAfterSeconds: Math.max(Math.ceil(left / 1000), 1),
  }
}

/** Requests in a window. */
type Count = { consumed: number; msBeforeNext: number }

type CountedWindow = { consumed: number; endsAt: number }

/** Windows begin with a subject's first request. `add` is synchronous: a promise would be most of its cost. */
export function createMemoryWindows(windowMs: number) {
  const windows = new Map<string, CountedWindow>()
  let sweepAt = 0

  function sweep(now: number): void {
    sweepAt = now + windowMs
    for (const [subject, { endsAt }] of windows) if (endsAt <= now) windows.delete(subject)
  }

  function add(subject: string, requests: number): Count {
    const now = Date.now()
    if (now >= sweepAt) sweep(now)
    let window = windows.get(subject)
    if (!window || window.endsAt <= now) {
      window = { consumed: 0, endsAt: now + windowMs }
      windows.set(subject, window)
    }
    window.consumed += requests
    return { consumed: window.consumed, msBeforeNext: window.endsAt - now }
  }

  return { add }
}
